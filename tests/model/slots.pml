/* The claim protocol of loader/slot_table*.cpp, with what takes part in it of worker.cpp, fork_server_process.cpp,
 * batch_scheduler.cpp and data_loader.cpp, for Spin. tests/model/run.sh runs it; docs/verification.md has the counts.
 *
 * One atomic block is one access to shared memory, or one system call. Joined are only accesses that nobody can come
 * between and be seen to: reads of what is stable while it is read (descriptor and progress of a chunk that one has
 * claimed; a dead worker's claim; finished words of a batch, to the parent), and stores that nobody looks at before
 * a later one (of the words, before that of the generation). A worker may die between any two accesses of its own.
 *
 * Sequentially consistent. Left out: the hint next_chunk (tests/interleaving has it), the crash loop breaker,
 * out-of-order delivery, init functions, leases (a leased slot is one slot fewer), several threads in the parent (it has
 * a lock).
 *
 * Shape:   N workers, S slots, U chunks of a batch, R rows of a chunk, K batches of an epoch
 * Faults:  C crashes that are a worker's own (LIMIT of them at one row, and the row is bad),
 *          O kills from outside (OUTSIDE of them), H rows that are overdue (the fork server kills; LIMIT),
 *          F forks that fail, X epochs that the user gives up
 * Data:    POISON  a row of the epoch that kills whoever loads it, THROWS one whose get() throws; counted from 0
 *          SKIP    1: a bad row is set aside, and its chunk goes on behind it; 0: its batch is an error
 *
 * Mutants; each must fail:
 *   1  a chunk is taken back when its worker is told to die, not when it is gone: no fence
 *   2  chunks are given out by a shared ticket (fetch_add), the owner is written in a second step
 *   3  a batch is finished when a shared counter says so, which is counted down after `done`
 *   4  the parent hears nothing of a death, and so does not look at the words then
 *   5  as 1, and `done` is a plain store
 *   6  the work sequence is read after the search, not before
 *   7  the awaited flag is raised after the parent has looked
 *   8  the fork server does not look at the generation once it has reopened a chunk
 *   9  the row in progress is stored when its get() has begun already
 *  10  deaths are counted for the chunk, whatever row they were at
 *  11  cancel() gives up on a ready word that changes under it
 *  12  having raised the awaited flag, the parent looks at the batches in flight, but not at draining slots
 *  13  the row in progress is stored before the row below it is written
 *  14  cancel() looks at the words first, and takes the generation away afterwards
 *  15  who announces work looks for sleepers before the work sequence is advanced
 *  16  a chunk that is taken over is begun at its first row
 */
#ifndef N
#define N 2
#endif
#ifndef S
#define S 2
#endif
#ifndef U
#define U 1
#endif
#ifndef R
#define R 1
#endif
#ifndef K
#define K 2
#endif
#ifndef C
#define C 0
#endif
#ifndef O
#define O 0
#endif
#ifndef H
#define H 0
#endif
#ifndef F
#define F 0
#endif
#ifndef X
#define X 0
#endif
#ifndef POISON
#define POISON 255
#endif
#ifndef THROWS
#define THROWS 255
#endif
#ifndef SKIP
#define SKIP 0
#endif
#ifndef LIMIT
#define LIMIT 2
#endif
#ifndef OUTSIDE
#define OUTSIDE 3
#endif
#ifndef MUT
#define MUT 0
#endif

#define P (S*U)           /* words; a word's place is slot*U + chunk, a row's is place*R + row of the chunk */
#define ROWS (U*R)        /* of a batch */
#define FENCE (MUT!=1 && MUT!=5)

/* chunk_state.h */
#define EMPTY 0
#define READY 1
#define CLAIMED 2
#define DONE 3
#define FAILED 4
#define ANY 7             /* kAnyWorker */
#define WORD(state, deaths, worker, generation) ((state) | (deaths)<<3 | (worker)<<5 | (generation)<<8)
#define STATE(x) ((x) & 7)
#define DEATHS(x) (((x)>>3) & 3)
#define WORKER(x) (((x)>>5) & 7)
#define GENERATION(x) ((x)>>8)
#define UNFINISHED(x) (STATE(x)==READY || STATE(x)==CLAIMED)

/* Shared memory. */
short word[P];
byte row[P];              /* Progress::row, in the chunk */
byte blamed[P];           /* Progress::blamed_row */
byte record[P];           /* the chunk's failure record */
#define THREW 1
#define KILLED 2
byte generation[S];       /* SlotHeader::generation */
byte descriptor[S];       /* BatchDescriptor::generation */
byte number[S];           /* BatchDescriptor::number */
byte lo[P*R]; byte hi[P*R];   /* a row's bytes in two halves: the generation they were written for */
bit awaited;
byte sleepers;
bit stop;
#if MUT==2
byte tickets; byte given; byte place[32];
#endif
#if MUT==3
byte unfinished[S];
#endif

/* The kernel. */
byte sequence[N];         /* the work sequence, as the worker sees it: */
#define UNREAD 0          /* it has not read it since it last held a chunk */
#define SAME 1            /* it is as it was read */
#define ADVANCED 2
bit asleep[N];            /* in the futex */
bit signaled;            /* the eventfd */
bit told;                 /* a report of the fork server's waits in the channel */
bit live[N];
bit ended[N];             /* the pidfd is readable */
byte limit_of[N];         /* of the death: LIMIT or OUTSIDE; PENDING: reaped, another is to be forked */
#define PENDING 255
bit doomed[N];            /* SIGKILL is on its way */

/* Of the faults, and of the assertions. */
byte crashes; byte kills; byte overdue; byte failed_forks; byte given_up;
byte died_at[P*R];        /* deaths with that row in progress */
bit whole[P*R];           /* written to its end */
bit bad[P*R];             /* set aside by the parent */
bit over;

#if MUT==3
#define FINISHED(s) (unfinished[s]==0)
#elif U==1
#define FINISHED(s) (!UNFINISHED(word[s]))
#elif U==2
#define FINISHED(s) (!UNFINISHED(word[(s)*2]) && !UNFINISHED(word[(s)*2+1]))
#endif

inline advance_sequence(k) {
  d_step { k = 0;
  do :: k < N -> sequence[k] = (sequence[k]==SAME -> ADVANCED : sequence[k]); k++ :: else -> break od;
  k = 0 }
}
inline wake_sleepers(k) {
  d_step { k = 0;
  do :: k < N -> asleep[k] = 0; k++ :: else -> break od;
  k = 0 }
}
#if MUT==15
#define ANNOUNCE(k, was) \
  atomic { was = (sleepers > 0) }; atomic { advance_sequence(k) }; \
  atomic { if :: was -> wake_sleepers(k) :: else fi; was = 0 }
#else
#define ANNOUNCE(k, was) \
  atomic { advance_sequence(k) }; \
  atomic { if :: sleepers > 0 -> wake_sleepers(k) :: else fi }
#endif

/* ---------------------------------------------------------------------------------------------- a worker */

#define IS_BAD(row) ((row)==POISON || (row)==THROWS)
#define ROW_OF_EPOCH(p, r) (number[(p)/U]*ROWS + ((p)%U)*R + (r))

/* At each of a worker's accesses: it may die instead. */
#define OR_DIE \
  :: atomic { doomed[w] && !stop -> limit_of[w] = LIMIT; goto dead } \
  :: atomic { !doomed[w] && crashes < C && !stop -> crashes++; limit_of[w] = LIMIT; goto dead } \
  :: atomic { !doomed[w] && kills < O && !stop -> kills++; limit_of[w] = OUTSIDE; goto dead }

#if MUT==5
#define MINE true
#else
#define MINE (word[p]==mine)
#endif

/* The swap that claims, and the reads after it. */
inline take_up(was) {
  mine = WORD(CLAIMED, DEATHS(was), w, GENERATION(was));
  word[p] = mine;
  assert(descriptor[p/U]==GENERATION(mine));
  r = row[p];
#if MUT==16
  r = 0;
#endif
  assert(r < R);
  i = 0;
  do  /* invariant 3: what lies below the row in progress is written, or known to be bad */
  :: i < r -> assert(bad[p*R+i] || (whole[p*R+i] && lo[p*R+i]==descriptor[p/U] && hi[p*R+i]==descriptor[p/U])); i++
  :: else -> break
  od;
  i = 0; seen = 0; visited = 0; named = 0; sequence[w] = UNREAD
}

/* claim_reopened() need not be called again: no chunk is left to a process that is past its start. */
inline none_is_left_to_me() {
  d_step {
    i = 0;
    do
    :: i < P -> assert(!FENCE || !(STATE(word[i])==READY && WORKER(word[i])==w)); i++
    :: else -> break
    od;
    i = 0
  }
}

proctype Worker(byte w) {
  short seen; short mine; byte p; byte i; byte r; byte visited; bit named; bit threw; bit more;
start:  /* claim_reopened(): a chunk is left to a worker only while no process carries its id */
  if
  :: atomic { true ->
       p = 0;
       do
       :: p < P && STATE(word[p])==READY && WORKER(word[p])==w -> seen = word[p]; named = 1; break
       :: p < P && !(STATE(word[p])==READY && WORKER(word[p])==w) -> p++
       :: p == P -> p = 0; named = 0; break
       od }
  OR_DIE
  fi;
  if
  :: !named -> goto idle
  :: named
  fi;
  if
  :: atomic { word[p]==seen -> take_up(seen); goto work }
  :: atomic { word[p]!=seen -> p = 0; seen = 0; named = 0; goto start }
  OR_DIE
  fi;

idle:
  if
  :: atomic { stop -> goto out }
  :: atomic { !stop ->
       none_is_left_to_me();
#if MUT!=6
       sequence[w] = SAME
#endif
     }
  OR_DIE
  fi;

#if MUT==2
  if
  :: atomic { given < tickets -> p = place[given]; given++ }
  :: atomic { given >= tickets -> goto nothing }
  OR_DIE
  fi;
  if
  :: atomic { STATE(word[p])==READY -> take_up(word[p]); goto work }
  :: atomic { STATE(word[p])!=READY -> p = 0; goto idle }
  OR_DIE
  fi;
#else
search:  /* claim_oldest(): the oldest batch that was not visited yet; p is its first word */
  if
  :: atomic { true ->
       seen = 0; i = 0; p = 0;
       do
       :: i < S ->
            if
            :: generation[i] > visited && (seen==0 || generation[i] < seen) -> seen = generation[i]; p = i*U
            :: else
            fi; i++
       :: else -> break
       od;
       i = 0; visited = seen; seen = 0;
       if :: visited==0 -> p = 0; goto nothing :: else fi }
  OR_DIE
  fi;
look:  /* claim_in() */
  if
  :: atomic { i < U && GENERATION(word[p])==visited && STATE(word[p])==READY &&
              (WORKER(word[p])==ANY || WORKER(word[p])==w) -> seen = word[p] }
  :: atomic { i < U && !(GENERATION(word[p])==visited && STATE(word[p])==READY &&
                         (WORKER(word[p])==ANY || WORKER(word[p])==w)) ->
              i++; p++; if :: i==U -> i = 0; p = 0; goto search :: else -> goto look fi }
  OR_DIE
  fi;
  if
  :: atomic { word[p]==seen -> take_up(seen); goto work }
  :: atomic { word[p]!=seen -> seen = 0; i++; p++; if :: i==U -> i = 0; p = 0; goto search :: else -> goto look fi }
  OR_DIE
  fi;
#endif

nothing:
  if
  :: atomic { stop -> goto out }
#if MUT==6
  :: atomic { !stop -> sequence[w] = SAME; visited = 0 }
#else
  :: atomic { !stop -> visited = 0 }
#endif
  OR_DIE
  fi;
  if
  :: atomic { true -> sleepers++ }
  OR_DIE
  fi;
  if
  :: atomic { true -> asleep[w] = (sequence[w]==SAME) }
  OR_DIE
  fi;
  if
  :: atomic { !asleep[w] -> sleepers--; sequence[w] = UNREAD; goto idle }
  OR_DIE
  fi;

work:  /* load_chunk(); r is the row in progress */
#if MUT!=9
  if
#if MUT==13
  :: atomic { true -> r = r+more; more = 0; row[p] = (r+1 < R -> r+1 : r) }
#else
  :: atomic { true -> assert(MINE); r = r+more; more = 0; row[p] = r }
#endif
  OR_DIE
  fi;
#endif
  if  /* get(); `more` is 0 here but in mutant 9 */
  :: atomic { ROW_OF_EPOCH(p, r+more)==POISON -> r = r+more; more = 0; limit_of[w] = LIMIT; goto dead }
  :: atomic { ROW_OF_EPOCH(p, r+more)==THROWS -> r = r+more; more = 0; assert(MINE); record[p] = THREW; threw = 1 }
  :: atomic { ROW_OF_EPOCH(p, r+more)!=POISON && ROW_OF_EPOCH(p, r+more)!=THROWS ->
       r = r+more; more = 0; assert(MINE);
       assert(MUT==5 || MUT==9 || !whole[p*R+r] || died_at[p*R+r]);  /* loaded again only if someone died at it */
       lo[p*R+r] = GENERATION(mine); hi[p*R+r] = 0; whole[p*R+r] = 0 }
  OR_DIE
  fi;
#if MUT==9
  if
  :: atomic { true -> assert(MINE); row[p] = r }
  OR_DIE
  fi;
#endif
  if
  :: atomic { threw -> skip }
  :: atomic { !threw ->
       assert(MINE); hi[p*R+r] = GENERATION(mine); whole[p*R+r] = 1;
       if :: r+1 < R -> more = 1; goto work :: else fi }
  OR_DIE
  fi;

  if  /* finish() */
#if MUT==5
  :: atomic { true -> word[p] = WORD(DONE, DEATHS(mine), w, GENERATION(mine)); mine = 0; r = 0 }
#else
  :: atomic { word[p]==mine ->
       word[p] = WORD((threw -> FAILED : DONE), DEATHS(mine), w, GENERATION(mine)); mine = 0; r = 0; threw = 0 }
  :: atomic { word[p]!=mine -> assert(!FENCE); mine = 0; r = 0; threw = 0 }
#endif
  OR_DIE
  fi;
#if MUT==3
  if
  :: atomic { true -> unfinished[p/U]-- }
  OR_DIE
  fi;
#endif
  if  /* signal_if_finished() */
  :: atomic { !awaited -> p = 0; goto idle }
  :: atomic { awaited }
  OR_DIE
  fi;
  if
  :: atomic { !FINISHED(p/U) -> p = 0; goto idle }
  :: atomic { FINISHED(p/U) -> p = 0 }
  OR_DIE
  fi;
  if
  :: atomic { !awaited -> goto idle }
  :: atomic { awaited -> awaited = 0 }
  OR_DIE
  fi;
  if
  :: atomic { true -> signaled = 1; goto idle }
  OR_DIE
  fi;

dead:
  atomic {
    if :: mine!=0 -> died_at[p*R+r]++ :: else fi;
    seen = 0; mine = 0; p = 0; i = 0; r = 0; visited = 0; named = 0; threw = 0; more = 0;
    asleep[w] = 0; sequence[w] = UNREAD; doomed[w] = 0; live[w] = 0; ended[w] = 1
  };
end_dead:
  if
  :: atomic { live[w] -> goto start }
  fi;
out: skip
}

/* ------------------------------------------------------------------------------------------- the fork server */

/* reclaim(): a dead process held one chunk at most, and nobody touches a dead worker's claim. */
inline take_back(w) {
  p = 0;
  do
  :: p < P && STATE(word[p])==CLAIMED && WORKER(word[p])==w -> break
  :: p < P && !(STATE(word[p])==CLAIMED && WORKER(word[p])==w) -> p++
  :: p == P -> break
  od;
  if
  :: p == P -> p = 0; as = 0
  :: else ->
       d = ((DEATHS(word[p]) > 0 && (blamed[p]==row[p] || MUT==10)) -> DEATHS(word[p])+1 : 1);
       blamed[p] = row[p];
       if
       :: d < limit_of[w] -> as = WORD(READY, d, (FENCE -> w : ANY), GENERATION(word[p]))
       :: else ->
            as = WORD(FAILED, d, w, GENERATION(word[p]));
            record[p] = KILLED;
            assert(died_at[p*R+row[p]] >= d);                        /* blame needs as many deaths at that row */
            assert(ROW_OF_EPOCH(p, row[p])==POISON || crashes+kills+overdue >= limit_of[w]);  /* innocents survive */
#if MUT==3
            unfinished[p/U]--;
#endif
       fi;
       word[p] = as; d = 0
  fi
}

proctype ForkServer() {
  byte w; byte p; byte k; byte d; short as; bit yes;
end_watch:
  do
  :: atomic { ended[0] -> ended[0] = 0; w = 0; goto reap }
  :: atomic { limit_of[0]==PENDING -> w = 0; goto start }
#if N>1
  :: atomic { ended[1] -> ended[1] = 0; w = 1; goto reap }
  :: atomic { limit_of[1]==PENDING -> w = 1; goto start }
#endif
#if N>2
  :: atomic { ended[2] -> ended[2] = 0; w = 2; goto reap }
  :: atomic { limit_of[2]==PENDING -> w = 2; goto start }
#endif
#if H>0
  :: atomic { overdue < H && !stop && ((live[0] && !doomed[0]) || (live[N-1] && !doomed[N-1])) ->
       if
       :: live[0] && !doomed[0] -> w = 0
       :: live[N-1] && !doomed[N-1] -> w = N-1
       fi;
       doomed[w] = 1; overdue++; limit_of[w] = LIMIT };
#if MUT==1 || MUT==5
       atomic { take_back(w); p = 0; as = 0 };
       ANNOUNCE(k, yes);
#endif
       atomic { w = 0 }
#endif
  od;

reap:
  atomic {
    take_back(w);
    if
    :: as==0 -> goto announce
    :: STATE(as)==FAILED -> goto signal
    :: STATE(as)==READY
    fi
  };
#if MUT==8
  goto announce;
#endif
  atomic { if :: generation[p/U]==GENERATION(as) -> goto announce :: else fi };
  atomic { if :: word[p]==as -> word[p] = 0 :: else fi };  /* the parent is canceling the batch */
signal:
  atomic { if :: !awaited -> goto announce :: else fi };
  atomic { if :: !FINISHED(p/U) -> goto announce :: else fi };
  atomic { if :: !awaited -> goto announce :: else -> awaited = 0 fi };
  atomic { signaled = 1 };
announce:
  atomic { p = 0; as = 0 };
  ANNOUNCE(k, yes);
  atomic { limit_of[w] = PENDING; told = (MUT!=4 -> 1 : told); w = 0; goto end_watch };  /* the report */

start:
  if
  :: atomic { true -> limit_of[w] = 0; live[w] = 1; w = 0; goto end_watch }
  :: atomic { failed_forks < F -> failed_forks++; p = 0 }
  fi;
  do  /* release_reopened() */
  :: atomic { p < P && !(STATE(word[p])==READY && WORKER(word[p])==w) -> p++ }
  :: atomic { p < P && STATE(word[p])==READY && WORKER(word[p])==w -> as = word[p] };
     atomic { if :: word[p]==as -> word[p] = WORD(READY, DEATHS(as), ANY, GENERATION(as)) :: else fi; as = 0; p++ }
  :: atomic { p==P -> p = 0; break }
  od;
  ANNOUNCE(k, yes);
  atomic { told = 1; w = 0; goto end_watch }
}

/* -------------------------------------------------------------------------------------------- the parent */

#define FREE 0
#define IN_FLIGHT 1
#define DRAINING 2

inline clear_slot(s) {
  generation[s] = 0; descriptor[s] = 0; number[s] = 0;
  k = 0;
  do
  :: k < U -> word[s*U+k] = 0; row[s*U+k] = 0; blamed[s*U+k] = 0; record[s*U+k] = 0; k++
  :: else -> break
  od;
  k = 0;
  do
  :: k < ROWS ->
       lo[s*ROWS+k] = 0; hi[s*ROWS+k] = 0; died_at[s*ROWS+k] = 0; whole[s*ROWS+k] = 0; bad[s*ROWS+k] = 0; k++
  :: else -> break
  od;
  k = 0;
  slot_state[s] = FREE
}

inline sweep_draining() {
  s = 0;
  do
  :: s < S ->
       if
       :: slot_state[s]==DRAINING -> if :: FINISHED(s) -> clear_slot(s) :: else fi
       :: else
       fi; s++
  :: else -> break
  od;
  s = 0
}

/* s: the batch to be delivered next, yes: it is finished; s==S: none is in flight. */
inline front_is_finished() {
  s = 0; yes = 0;
  do
  :: s < S && !(slot_state[s]==IN_FLIGHT && number[s]==delivered) -> s++
  :: else -> break
  od;
  if :: s < S -> yes = FINISHED(s) :: else fi
}

inline free_slot() {
  s = 0;
  do :: s < S && slot_state[s]!=FREE -> s++ :: else -> break od
}

/* publish_more() behind its sweep. */
#define PUBLISH_MORE \
  do \
  :: atomic { free_slot(); if :: published==K || s==S -> s = 0; break :: else fi; \
       count++; descriptor[s] = count; number[s] = published; slot_state[s] = IN_FLIGHT; \
       k = 0; \
       do :: k < U -> word[s*U+k] = WORD(READY, 0, ANY, count); NOTE_TICKET; k++ :: else -> break od; \
       k = 0; published++ }; \
     atomic { generation[s] = count; s = 0 }; \
     ANNOUNCE(k, yes) \
  od

#if MUT==2
#define NOTE_TICKET place[tickets] = s*U+k; tickets++
#elif MUT==3
#define NOTE_TICKET unfinished[s]++
#else
#define NOTE_TICKET skip
#endif

proctype Parent() {
  byte s; byte k; byte count; byte published; byte delivered; bit yes; short seen;
  byte slot_state[S];
next:
  atomic { sweep_draining() };
  PUBLISH_MORE;
  if
  :: goto settle
  :: atomic { given_up < X -> given_up++ }  /* start_epoch() */
  fi;
  do  /* cancel() each batch in flight */
  :: atomic { s < S && slot_state[s]!=IN_FLIGHT -> s++ }
  :: atomic { s < S && slot_state[s]==IN_FLIGHT ->
#if MUT!=14
       generation[s] = 0;
#endif
       k = 0; slot_state[s] = DRAINING };
     do
     :: atomic { k < U && STATE(word[s*U+k])!=READY -> k++ }
     :: atomic { k < U && STATE(word[s*U+k])==READY -> seen = word[s*U+k] };
        atomic {
          if
          :: word[s*U+k]==seen -> word[s*U+k] = 0; k++
          :: word[s*U+k]!=seen && MUT==11 -> k++
          :: else  /* look again */
          fi;
          seen = 0 }
     :: atomic { k==U -> k = 0; break }
     od;
#if MUT==14
     atomic { generation[s] = 0 };
#endif
     atomic { s++ }
  :: atomic { s==S -> published = 0; delivered = 0; s = 0; break }
  od;
  goto next;

settle:
  atomic {
    front_is_finished();
    if
    :: s==S && published==K -> s = 0; goto done
    :: !yes && !(s==S && published==K) -> s = 0; goto await
    :: else -> yes = 0
    fi;
    k = 0;
    do
    :: k < U && STATE(word[s*U+k])!=FAILED -> k++
    :: else -> break
    od;
    if
    :: k < U ->
         assert(record[s*U+k]==THREW || record[s*U+k]==KILLED);
         assert(record[s*U+k]!=THREW || ROW_OF_EPOCH(s*U+k, row[s*U+k])==THROWS);
         assert(record[s*U+k]!=KILLED || died_at[(s*U+k)*R+row[s*U+k]] >= LIMIT);
#if SKIP==1
         bad[(s*U+k)*R+row[s*U+k]] = 1;  /* set_aside(), reopen_after_failure() */
         if
         :: row[s*U+k]+1 < R -> row[s*U+k] = row[s*U+k]+1; word[s*U+k] = WORD(READY, 0, ANY, descriptor[s])
         :: else -> word[s*U+k] = WORD(DONE, 0, ANY, descriptor[s])
         fi;
         record[s*U+k] = 0; s = 0; k = 0
#else
         clear_slot(s); s = 0; delivered++; goto next  /* raise() */
#endif
    :: else -> goto deliver
    fi
  };
#if SKIP==1
  ANNOUNCE(k, yes);
  goto settle;
#endif

deliver:
  atomic {
    assert(number[s]==delivered);  /* in order, exactly once */
    k = 0;
    do
    :: k < ROWS && bad[s*ROWS+k] -> assert(IS_BAD(delivered*ROWS+k) || crashes+overdue+kills >= LIMIT); k++
    :: k < ROWS && !bad[s*ROWS+k] ->
         assert(lo[s*ROWS+k]==descriptor[s] && hi[s*ROWS+k]==descriptor[s]);  /* not torn, not stale */
         assert(!IS_BAD(delivered*ROWS+k)); k++
    :: k==ROWS -> break
    od;
    clear_slot(s); s = 0; delivered++;
    goto next
  };

await:
#if MUT!=7
  atomic { awaited = 1 };
#endif
#if MUT!=12
  atomic { sweep_draining() };  /* ready() */
  PUBLISH_MORE;
#endif
  atomic { front_is_finished(); s = 0; if :: yes -> yes = 0; goto next :: else fi };
#if MUT==7
  atomic { awaited = 1 };
#endif
  atomic { signaled || told };
  atomic { signaled = 0; told = 0; goto next };

done:  /* No slot leaks: a batch that was given up is finished in the end, and its slot comes back. */
  do
  :: atomic { s < S && FINISHED(s) -> clear_slot(s); s++ }
  :: atomic { s==S -> s = 0; break }
  od;
  atomic { over = 1; stop = 1 };
  ANNOUNCE(k, yes)
}

init {
  byte k;
  atomic {
    do :: k < N -> live[k] = 1; run Worker(k); k++ :: else -> break od;
    run ForkServer(); run Parent()
  }
}
ltl delivers_all { <> over }
