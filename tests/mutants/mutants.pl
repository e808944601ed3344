#!/usr/bin/perl
# Reads the lists of mutants (*.txt beside this file) for run.sh.
#   mutants.pl list [ID|LIST...]   those with these ids or of these lists, or all; one line each, with tabs between
#                                  id, file, test programs, what the mutant breaks, why no test can tell (or nothing)
#   mutants.pl check TREE          fails, and names the mutants, where TREE does not hold the text that they change
#   mutants.pl plant ID TREE       makes that change
use strict;
use warnings;
use File::Basename qw(basename dirname);

# The program of the mutated library comes first, then those of the libraries above it.
my @programs = (
    [ qr{^datasets/base/} => 'datasets_tests loader_tests transfer_tests parallel_tests tools_tests' ],
    [ qr{^loader/}      => 'loader_tests interleaving_tests transfer_tests datasets_tests tools_tests' ],
    [ qr{^datasets/}    => 'datasets_tests loader_tests tools_tests' ],
    [ qr{^transfer/}    => 'transfer_tests parallel_tests tools_tests' ],
    [ qr{^parallel/torch/} => 'torch_tests' ],
    [ qr{^parallel/}    => 'parallel_tests tools_tests' ],
    [ qr{^tools/}       => 'tools_tests' ],
);

sub trimmed { my ($line) = @_; $line =~ s/^\s+|\s+$//g; return $line }

sub read_mutant {
    my ($list, $block) = @_;
    my ($head, @lines) = grep { !/^#/ } split /\n/, $block;
    return () unless defined $head;
    my ($id, $file) = $head =~ /^(\w+) (\S+)$/ or die "$list: '$head' is not an id and a file\n";
    my ($own) = grep { $file =~ $_->[0] } @programs or die "$id: no test program is known for $file\n";
    my %mutant = (list => $list, id => $id, file => $file, tests => $own->[1], what => '', equivalent => '', old => [], new => []);
    for (@lines) {
        if    (/^([-+=])(.*)$/) {
            push @{$mutant{old}}, trimmed($2) if $1 ne '+';
            push @{$mutant{new}}, trimmed($2) if $1 ne '-';
        }
        elsif (/^  (tests|equivalent): (.+)$/) { $mutant{$1} = $2 }
        elsif (/^  (\S.*)$/) { $mutant{what} .= ($mutant{what} ? ' ' : '') . $1 }
        else { die "$id: '$_' is neither text nor code\n" }
    }
    die "$id: does not say what it breaks, or changes nothing\n" unless $mutant{what} && @{$mutant{old}};
    return \%mutant;
}

sub read_lists {
    my (@mutants, %seen);
    for my $path (sort glob(dirname(__FILE__) . '/*.txt')) {
        open my $file, '<', $path or die "$path: $!\n";
        my $text = do { local $/; <$file> };
        push @mutants, map { read_mutant(basename($path, '.txt'), $_) } split /\n{2,}/, $text;
    }
    $seen{$_->{id}}++ and die "$_->{id}: there are two of this id\n" for @mutants;
    return @mutants;
}

# The file's lines, and the place of the mutant's in them.
sub find_place {
    my ($mutant, $tree) = @_;
    my $path = "$tree/$mutant->{file}";
    open my $file, '<', $path or die "$mutant->{id} is stale: $path: $!\n";
    my @lines = <$file>;
    my @old = @{$mutant->{old}};
    my @places = grep {
        my $at = $_;
        !grep { trimmed($lines[$at + $_]) ne $old[$_] } 0 .. $#old;
    } 0 .. @lines - @old;
    return (\@lines, $places[0]) if @places == 1;
    die "$mutant->{id} is stale: $mutant->{file} holds its lines " . @places . " times, not once: '$old[0]'\n";
}

sub plant {
    my ($mutant, $tree) = @_;
    my ($lines, $place) = find_place($mutant, $tree);
    splice @$lines, $place, scalar @{$mutant->{old}}, map { "$_\n" } @{$mutant->{new}};
    open my $file, '>', "$tree/$mutant->{file}" or die "$mutant->{file}: $!\n";
    print $file @$lines;
    close $file or die "$mutant->{file}: $!\n";
}

my ($command, @arguments) = @ARGV;
my @mutants = read_lists();
if ($command eq 'list') {
    my %wanted = map { $_ => 1 } @arguments;
    my %known = map { $_->{id} => 1, $_->{list} => 1 } @mutants;
    $known{$_} or die "there is no mutant and no list called '$_'\n" for @arguments;
    for my $mutant (grep { !%wanted || $wanted{$_->{id}} || $wanted{$_->{list}} } @mutants) {
        print join("\t", @$mutant{qw(id file tests what equivalent)}), "\n";
    }
} elsif ($command eq 'check') {
    my @stale = grep { !eval { find_place($_, $arguments[0]) } && print STDERR $@ } @mutants;
    exit(@stale ? 1 : 0);
} elsif ($command eq 'plant') {
    my ($mutant) = grep { $_->{id} eq $arguments[0] } @mutants;
    plant($mutant, $arguments[1]);
} else {
    die "mutants.pl: list, check or plant\n";
}
