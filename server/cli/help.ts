export const help = `npx arlarena COMMAND [options]

Speaks to a running ARLArena Studio (npm start) without a browser.

  sweep run FILE.yaml              create the sweep that the file plans; "-" reads standard input
    --watch                        show progress until every run is over
    --name NAME                    instead of the file's own name
  import FILE|FOLDER …             finished runs of other trainers as a sweep: logs of verl (console, JSON lines), TRL's
                                   trainer_state.json, CSV exports of W&B and MLflow, offline runs of W&B (.wandb),
                                   TensorBoard event files; what is not understood is counted on standard error
    --name NAME                    of the sweep
    --method M --environment E --seed N
                                   where the files' names do not tell them
    --episodes N --group-size N --held-out N
                                   behind the success rates (128 in groups of 8, 128)
  sweeps                           list all sweeps
  runs [SWEEP]                     list the runs of one sweep, or of all
  cancel SWEEP|RUN                 stop a sweep or one run
  retry SWEEP|RUN                  one more attempt for what failed or was cancelled
  delete SWEEP --yes               forget a sweep that is over, with all that it measured; its runs' folders stay
  pause SWEEP, resume SWEEP        start no new run of it; start them again
  seeds SWEEP                      fill the grid's holes: a run of every seed for every configuration
    --add N                        and N seeds more
    --undo                         instead: cancel the added runs that are not over; they count nowhere from then on
  check RUN                        is everything it wrote stored, and each iteration there once? 1 if not
  nodes                            list the nodes: slots in use, last contact
  priority SWEEP                   its runs go before everybody else's that wait
    --sooner 2h, --later 30m       instead: as if launched so much earlier or later
  table SWEEP                      mean ± standard deviation over seeds of each run's final window
    --kind final|stability|tasks   stability: success, final KL, largest gradient, collapsed seeds, wall time;
                                   tasks: score and success by type of task, unseen kinds
    --format latex|markdown|csv|json
    --metric KEY                   (default: success on held-out tasks, else in training)
  table verify HASH                make a table again by the hash in its comment: are its numbers what they were?
  objective FILE.json              loss, gradient and diagnostics of one batch as JSON, by the graph that trains; needs
                                   no running studio; docs/objective.md has the format
  detect FILE|FOLDER               states, events and the label in hindsight of a run's log as JSON: events.jsonl, JSON
                                   lines of metrics, a log of verl or TRL; needs no running studio; what is not
                                   understood is counted on standard error too
    --episodes N --group-size N    behind each training success rate (128 in groups of 8)
    --held-out N                   behind each held-out one (128)
  predictor train FOLDER           learn the probability of a collapse within 20 steps from made-up runs (and those below
                                   --logs FOLDER, repeatable); writes model and card, and says how it does beside the
                                   rules on mechanisms it never saw
    --runs 40                      made-up runs of each family
  predictor apply FILE             probabilities beside the rules' states, of a log as "detect" reads it
    --model FOLDER                 where the predictor was trained to
  stats FILE.csv                   methods over seeds, from env,subtask,method,agg,clip,adv,filter,seed,n_eval,
                                   checkpoint_rule,value (and collapsed): intervals, tests with Holm, effect sizes,
                                   collapse rates, pooled IQM and probability of improvement; "-" reads standard input
    --baseline METHOD              what all are compared with (default GRPO, else the first)
    --metric KEY, --rule RULE      where the file has several (default final-window)
    --test welch|permutation|mann-whitney|paired
                                   whose p is corrected (default welch; permutation where seeds collapsed)
    --level 0.95, --resamples 10000, --seed 0
  env                              list the environments; none of these needs a running studio
  env NAME                         play one: an action a line on standard input, prompts on a terminal only
    --seed N                       the task, of any split (default 0)
    --split train|seen|unseen      then N counts within the split
    --set KNOB=VALUE               another difficulty; repeatable
    --actions FILE                 actions from a file; a line with tags is a whole response, one in double quotes JSON
    --expert                       the expert plays
    --replay FILE.jsonl …          instead: compare recordings of the original with ours, check by check
  token [NAME]                     print what a trainer with an MLflow logger needs to stream its runs in
    --revoke                       instead: end every token of this name
  sign-in                          print a fresh address that signs in one browser, once
  help                             this text

  --json                           one JSON document instead of text, for errors too
  --home FOLDER                    the studio's state folder (ARLARENA_HOME)
  --version                        the version

SWEEP is an id, the beginning of one, or a name. The database is DATABASE_URL's, or that of the studio running on the
state folder. Exit code: 0 done, 1 failed (with --watch: not all runs finished), 2 command not understood.`;
