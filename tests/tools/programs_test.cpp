// The programs as a user starts them.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <thread>

#include "leat/parallel/store/tcp_socket.h"
#include "leat/parallel/tcp_store.h"
#include "tests/support/temporary_folder.h"
#include "tests/tools/run_program.h"

namespace {

using nlohmann::json;

using namespace leat::test;

void check_refused(const std::string& command, const std::string& fragment) {
  INFO(command);
  const Outcome outcome = run(command);
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  INFO(outcome.err);
  CHECK(lines(outcome.err) == 1);
  CHECK(outcome.err.find(fragment) != std::string::npos);
}

// A port that nothing listens on just now.
std::string free_port() {
  leat::WorldSettings world;
  world.master_port = 0;
  return std::to_string(leat::TcpStore(world).port());
}

void check_equal_losses(const json& a, const json& b) {
  for (std::size_t epoch = 0; epoch < 2; ++epoch) {
    const double difference =
        a.at("epochs").at(epoch).at("loss").get<double>() - b.at("epochs").at(epoch).at("loss").get<double>();
    CHECK(std::abs(difference) < 1e-5);
  }
}

}  // namespace

TEST_CASE("--help and --version answer on stdout", "[process]") {
  for (const auto& program : {kTrain, kSweep}) {
    const Outcome help = run(program + " --help");
    CHECK(help.code == 0);
    CHECK(help.err.empty());
    for (const char* part : {"--data", "--batch-size", "--json", "--image-size", "synthetic:N",
                             "imagefolder:PATH", "Examples:", "LEAT_CACHE_DIR", "Exit status:"}) {
      INFO(part);
      CHECK(help.out.find(part) != std::string::npos);
    }
  }
  for (const auto& program : {kTrain, kSweep, kConvert, kRun}) {
    const Outcome version = run(program + " --version");
    CHECK(version.code == 0);
    CHECK(lines(version.out) == 1);
  }
  const Outcome command = run(kConvert + " inspect --help");
  CHECK(command.code == 0);
  CHECK(command.out.find("--contact-sheet FILE") != std::string::npos);
  CHECK(command.out.find("--shard-size") == std::string::npos);
}

TEST_CASE("every option of a program is in its man page and completions", "[process]") {
  const std::regex option("  (--[a-z-]+)");
  for (const auto& program : {kTrain, kSweep, kConvert, kRun}) {
    const TemporaryFolder folder;
    REQUIRE(run(program + " --generate-manual " + folder.path().string()).code == 0);
    const std::string name = std::filesystem::path(program).filename();
    const std::string man = read(folder / ("man/man1/" + name + ".1"));
    const std::string bash = read(folder / ("bash-completion/completions/" + name));
    const std::string zsh = read(folder / ("zsh/site-functions/_" + name));
    const std::string fish = read(folder / ("fish/vendor_completions.d/" + name + ".fish"));
    const std::string help = run(program + " --help").out;
    int options = 0;
    for (std::sregex_iterator found(help.begin(), help.end(), option); found != std::sregex_iterator();
         ++found) {
      const std::string each = (*found)[1];
      INFO(name << " " << each);
      CHECK(bash.find(each) != std::string::npos);
      CHECK(zsh.find(each + "[") != std::string::npos);
      CHECK(fish.find("-l " + each.substr(2)) != std::string::npos);
      CHECK(man.find(std::regex_replace(each, std::regex("-"), "\\-")) != std::string::npos);
      ++options;
    }
    CHECK(options > 5);
  }
}

TEST_CASE("wrong input ends with one line and code 2", "[process]") {
  for (const auto& program : {kTrain, kSweep}) {
    check_refused(program, "--data");
    check_refused(program + " --data /nowhere/at/all", "/nowhere/at/all");
    check_refused(program + " --data ftp://x", "webdataset:");
    check_refused(program + " --data " + images() + " --batch-size 0", "--batch-size");
    check_refused(program + " --data " + images() + " --batch-size many", "--batch-size");
    check_refused(program + " --data " + images() + " --color red", "--color");
    check_refused(program + " --data " + images() + " --json /nowhere/at/all", "/nowhere/at/all");
    check_refused(program + " --data " + images() + " --json /tmp", "/tmp");
  }
  check_refused(kSweep + " --data " + images() + " --report /nowhere/at/all", "/nowhere/at/all");
  check_refused(kSweep + " --data " + images() + " --rounds 0", "--rounds");
  check_refused(kTrain + " --data " + images() + " --num-workers few", "few");
  check_refused(kTrain + " --data " + images() + " --lr many", "'many' is no positive number");
  check_refused(kTrain + " --data " + images() + " --lr 0", "'0' is no positive number");
  check_refused(kTrain + " --data " + images() + " --weight-decay -1", "'-1' is no non-negative number");
  for (const char* widths : {"1,,2", ",5", "5,", "0", "1048577", "8 ''"}) {
    check_refused(kTrain + " --data " + images() + " --hidden " + widths, "is no list of numbers from 1");
  }
  for (const char* number : {"nan", "inf", "1.5", "-0.1", "x"}) {
    check_refused(kTrain + " --data " + images() + " --momentum " + number, "is no number from 0 to 1");
  }
  for (const char* number : {"nan", "-nan", "inf", "0.09", "86401"}) {
    check_refused(kSweep + " --data " + images() + " --seconds " + number, "is no number from 0.1 to 86400");
  }
  check_refused(kTrain + " --data " + images() + " --device tpu", "tpu");
  check_refused(kTrain + " --data " + images() + " --device cuda --replicas 2", "one process");
  check_refused(kSweep + " --data " + images() + " --workers 1,zwei", "zwei");
  check_refused("env RANK=0 " + kTrain + " --data " + images(), "WORLD_SIZE");
  const std::string two = "env RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=1 ";
  check_refused(two + kTrain + " --data " + images() + " --replicas 2", "WORLD_SIZE=2");
  check_refused(two + kTrain + " --data " + images() + " --batch-size 5", "no multiple");
}

TEST_CASE("data that cannot be opened ends with one line and code 2", "[process]") {
  const TemporaryFolder folder;
  folder.write("classes/a/0.jpg", "");
  folder.write("classes/b/0.txt", "");
  folder.write("folder/other.txt", "");
  std::filesystem::create_symlink("loop", folder / "loop");
  const auto empty = [&](const std::string& name) { return folder.write(name, "").string(); };
  const std::string other = (folder / "folder").string();
  for (const auto& program : {kTrain + " --data ", kSweep + " --data "}) {
    check_refused(program + (folder / "classes").string(), "classes/b");
    check_refused(program + (folder / "loop").string(), "loop");
    check_refused(program + empty("0.tar"), "cut off");
    check_refused(program + "tfrecord:" + empty("0.tfrecord"), "0.tfrecord' holds no samples");
    check_refused(program + "manifest:" + empty("0.csv"), "no rows");
    for (const char* format : {"idx:", "mds:", "cifar10:"}) check_refused(program + format + other, other);
    for (const char* scheme : {"imagefolder:", "leat:", "tfrecord:"})
      check_refused(program + scheme, "no path follows");
  }
  check_refused(kConvert + " imagefolder: " + (folder / "out").string(), "no path follows 'imagefolder:'");
  check_refused(kConvert + " " + (folder / "loop").string() + " " + (folder / "out").string(), "loop");
}

TEST_CASE("contradicting or incomplete variables of launchers are refused", "[process]") {
  const std::string train = kTrain + " --data " + images() + " --epochs 1";
  check_refused("env OMPI_COMM_WORLD_SIZE=2 " + train, "OMPI_COMM_WORLD_RANK is not set");
  check_refused("env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 " + train, "LEAT_MASTER_ADDR");
  check_refused("env PMI_SIZE=2 PMI_RANK=1 RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=1 " + train,
                "PMI_RANK=1");
  check_refused("env LEAT_LAUNCHER=qsub " + train, "qsub");
  check_refused(train + " --launcher srun", "SLURM_PROCID");
  check_refused("env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 " + train +
                    " --master-addr 192.0.2.1 --master-port 29400",
                "LEAT_JOB_SECRET");
}

TEST_CASE("an error at run time ends with one line and code 1", "[process]") {
  const TemporaryFolder folder;
  for (int i = 0; i < 10; ++i) {
    folder.write("a/" + std::to_string(i) + ".jpg", "not a JPEG");
    folder.write("b/" + std::to_string(i) + ".jpg", "nor this");
  }
  for (const auto& program : {kTrain + " --num-workers 1", kSweep + " --workers 1"}) {
    const Outcome outcome = run(program + " --data " + folder.path().string());
    INFO(outcome.err);
    CHECK(outcome.code == 1);
    CHECK(lines(outcome.err) == 1);
    CHECK(outcome.err.find(".jpg") != std::string::npos);
  }
}

TEST_CASE("a program that cannot write its output ends with one line and code 1", "[process]") {
  const TemporaryFolder folder;
  const std::string error_file = folder / "err";
  int copies = 0;
  for (const std::string& command :
       {kTrain + " --help", kSweep + " --version", kConvert + " inspect " + images() + "/train",
        kTrain + " --epochs 1 --num-workers 1 --image-size 8 --hidden 8 --data " + images(),
        kSweep + " --workers 0 --image-size 8 --seconds 0.1 --data " + images(),
        kConvert + " " + images() + "/train " + (folder / "copy").string()}) {
    for (const std::string output : {" >/dev/full", " >&-"}) {
      INFO(command << output);
      const std::string target = command.ends_with("copy") ? std::to_string(copies++) : "";
      const int status =
          std::system(("timeout 100 " + command + target + output + " 2>" + error_file).c_str());
      CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 1));
      const std::string error = read(error_file);
      INFO(error);
      CHECK(lines(error) == 1);
      CHECK(error.find("standard output") != std::string::npos);
    }
  }
}

TEST_CASE("one replica and two train alike", "[process]") {
  const TemporaryFolder folder;
  const Outcome one = run(training(folder / "one"));
  INFO(one.err);
  REQUIRE(one.code == 0);
  CHECK(one.out.find("epoch 2/2") != std::string::npos);
  CHECK(one.out.find("waited for data") != std::string::npos);
  CHECK(one.out.find("test accuracy") != std::string::npos);
  REQUIRE(run(training(folder / "two") + " --replicas 2").code == 0);
  const json alone = json::parse(read(folder / "one")), shared = json::parse(read(folder / "two"));
  CHECK(alone.at("communicator") == "none");
  CHECK(shared.at("communicator") == "local");
  check_equal_losses(alone, shared);
}

TEST_CASE("one process and two train alike", "[process]") {
  const TemporaryFolder folder;
  REQUIRE(run(training(folder / "one")).code == 0);
  const std::string world = "WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=" + free_port() + " ";
  Outcome second;
  std::thread other([&] { second = run("env RANK=1 " + world + training(folder / "unused")); });
  const Outcome first = run("env RANK=0 " + world + training(folder / "two"));
  other.join();
  INFO(first.err << second.err);
  REQUIRE(first.code == 0);
  REQUIRE(second.code == 0);
  CHECK(second.out.empty());  // only rank 0 speaks
  CHECK(!std::filesystem::exists(folder / "unused"));
  const json shared = json::parse(read(folder / "two"));
  CHECK(shared.at("communicator") == "shared memory");
  CHECK(shared.at("processes") == 2);
  check_equal_losses(json::parse(read(folder / "one")), shared);
}

void skip(const std::string& reason) {
  std::printf("SKIPPED: %s\n", reason.c_str());
}

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

// Trains with two ranks that `launcher` starts, and compares the result with that of one process.
void check_launcher(const std::string& launcher, const std::string& name) {
  const TemporaryFolder folder;
  REQUIRE(run(training(folder / "one")).code == 0);
  const Outcome outcome = run(launcher + " " + training(folder / "two"));
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.out.find("rank 0 of 2 on host ") != std::string::npos);
  CHECK(outcome.out.find(", started by " + name) != std::string::npos);
  const json shared = json::parse(read(folder / "two"));
  CHECK(shared.at("processes") == 2);
  check_equal_losses(json::parse(read(folder / "one")), shared);
}

// Starts the two ranks of a launcher itself, with the variables that it would set. "%" stands for the rank.
std::string with_variables(const std::string& variables) {
  return "sh -c 'for r in 1 0; do env $(echo \"" + variables +
         "\" | sed s/%/$r/g) \"$@\" & p=\"$p $!\"; done; "
         "for i in $p; do wait $i || exit; done' sh";
}

TEST_CASE("leat-train works under leat-run", "[process]") {
  check_launcher(kRun + " -n 2", "leat-run");
}

TEST_CASE("leat-train works with the variables of mpirun, srun and Hydra", "[process]") {
  check_launcher(with_variables("OMPI_COMM_WORLD_RANK=% OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=% "
                                "OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE=" +
                                free_port()),
                 "openmpi");
  check_launcher(with_variables("SLURM_JOB_ID=" + free_port() +
                                " SLURM_STEP_ID=0 SLURM_PROCID=% SLURM_LOCALID=% "
                                "SLURM_STEP_NUM_TASKS=2 SLURM_STEP_NUM_NODES=1 SLURM_STEP_NODELIST=node7"),
                 "srun");
  check_launcher(
      with_variables("PMI_RANK=% PMI_SIZE=2 MPI_LOCALRANKID=% MPI_LOCALNRANKS=2 LEAT_MASTER_PORT=" +
                     free_port()),
      "hydra");
}

TEST_CASE("leat-train works with the variables of torchrun while its agent listens at MASTER_PORT",
          "[process]") {
  const leat::detail::UniqueFd agent = leat::detail::listen_at("127.0.0.1", 0);
  const std::string port = std::to_string(leat::detail::local_port(agent.get()));
  check_launcher(
      with_variables(
          "RANK=% WORLD_SIZE=2 LOCAL_RANK=% LOCAL_WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=" + port +
          " TORCHELASTIC_USE_AGENT_STORE=True TORCHELASTIC_RUN_ID=none TORCHELASTIC_RESTART_COUNT=0"),
      "torchrun");
}

TEST_CASE("leat-train works under a real mpirun of Open MPI", "[process]") {
  if (!is_installed("mpirun.openmpi")) return skip("mpirun.openmpi is not installed");
  check_launcher("mpirun.openmpi --allow-run-as-root --oversubscribe -n 2", "openmpi");
}

TEST_CASE("leat-train works under a real mpiexec of Hydra", "[process]") {
  if (!is_installed("mpiexec.hydra")) return skip("mpiexec.hydra is not installed");
  check_launcher("mpiexec.hydra -n 2", "hydra");
}

TEST_CASE("leat-train works under a real torchrun", "[process]") {
  if (!is_installed("torchrun")) return skip("torchrun is not installed");
  const TemporaryFolder logs;
  // The redirection of output that is its default fails with Python 3.11.
  check_launcher("torchrun --nproc_per_node 2 --master_port " + free_port() + " -r 1 -t 1 --log_dir " +
                     logs.path().string() + " --no_python",
                 "torchrun");
}

TEST_CASE("ranks that were started with different options are told which before the first step",
          "[process]") {
  const TemporaryFolder folder;
  // Not by leat-run, which ends the other rank as soon as one has ended.
  const Outcome outcome =
      run("sh -c 'for r in 0 1; do RANK=$r WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=" + free_port() +
          " \"$@\" --seed $((r * 5)) & done; wait' sh " + training(folder / "unused"));
  INFO(outcome.out << outcome.err);
  CHECK(outcome.out.find("epoch") == std::string::npos);
  CHECK(outcome.err.find(
            "leat-train: the ranks were started with different settings: --seed is \"0\" on rank 0, "
            "\"5\" on rank 1\n") == 0);
  CHECK(lines(outcome.err) == 2);
}

TEST_CASE("a sweep measures each number of workers", "[process]") {
  const TemporaryFolder folder;
  const std::string path = folder / "sweep.json";
  for (const std::string output : {"u8", "f32 --transform val"}) {
    const Outcome outcome =
        run(kSweep + " --data " + images() + " --num-workers 2,0 --batch-size 8 --image-size 32" +
            " --seconds 0.3 --rounds 3 --output " + output + " --json " + path);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(outcome.out.find("round 3 of 3") != std::string::npos);
    CHECK(outcome.out.find("recommended") != std::string::npos);
    const json result = json::parse(read(path));
    CHECK(result.at("data").at("what") == images());
    CHECK(result.at("data").at("samples") == 80);
    CHECK(result.at("data").at("stored_bytes") > 0);
    CHECK(result.at("data").at("batch_size") == 8);
    CHECK(result.at("data").at("settings").at("image_size") == "32");
    REQUIRE(result.at("runs").size() == 2);
    CHECK(result.at("runs").at(0).at("num_workers") == 0);
    CHECK(result.at("runs").at(1).at("num_workers") == 2);
    for (const json& each : result.at("runs")) {
      CHECK(each.at("rounds").size() == 3);
      for (const char* key :
           {"samples_per_second", "first_batch_ms", "cpu_seconds_per_1000_samples", "peak_memory_mib"}) {
        INFO(key);
        CHECK(each.at(key).get<double>() > 0);
      }
    }
    const int recommended = result.at("recommended_num_workers");
    CHECK((recommended == 0 || recommended == 2));
    const bool trusted = result.at("trusted");
    CHECK(trusted == result.at("doubts").empty());
    CHECK(trusted == (outcome.out.find("not to be relied on") == std::string::npos));
  }
}

TEST_CASE("a sweep tells the warnings of its images once", "[process]") {
  const TemporaryFolder folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(images() + "/train")) {
    if (!entry.is_regular_file() || std::filesystem::exists(folder / "images")) continue;
    folder.write("images/a/0.jpg", read(entry.path()));
    folder.write("images/b/0.jpg", read(entry.path()).substr(0, entry.file_size() / 2));
  }
  const Outcome outcome = run(kSweep + " --data " + (folder / "images").string() +
                              " --allow-corrupt --workers 0,1 --rounds 3 --seconds 0.1 --image-size 16 "
                              "--batch-size 2 --report " +
                              (folder / "report.html").string());
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(lines(outcome.err) == 1);
  CHECK(outcome.err.find("warning") != std::string::npos);
}

TEST_CASE("a sweep's report is one page with charts and a prediction that was checked", "[process]") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run(kSweep + " --data " + images() + " --workers 0,1 --batch-size 8 --image-size 32" +
          " --seconds 0.1 --rounds 3 --report " + (folder / "sweep.html").string());
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.out.find("sweep.html") != std::string::npos);
  const std::string page = read(folder / "sweep.html");
  for (const char* part :
       {"<!DOCTYPE html>", "<svg", "Throughput", "limit of", "First batch", "Memory",
        "Where a sample's time goes", "decode", "What if", "Checked by a run", "</html>"}) {
    INFO(part);
    CHECK(page.find(part) != std::string::npos);
  }
  CHECK(page.find("<script") == std::string::npos);
}
