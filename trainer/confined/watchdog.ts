/**
 * Source of a confined process's watchdog thread, as a string, so that it needs no file. Every 50 ms it checks the
 * current request's resources, and may kill the process: SIGALRM for time, SIGKILL for memory or a missing parent.
 */
export const watchdog = `
const { workerData: { turn, limits, parent } } = require("node:worker_threads");
const late = process.platform === "win32" ? "SIGKILL" : "SIGALRM";
const end = (signal) => process.kill(process.pid, signal);
const now = () => {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() };
};
let seen = 0;
let since = now();
setInterval(() => {
  if (process.ppid !== parent) return end("SIGKILL");
  const current = Atomics.load(turn, 0);
  if (current % 2 === 0) return;
  if (current !== seen) [seen, since] = [current, now()];
  const { cpuMs, wallMs } = now();
  if (cpuMs - since.cpuMs > limits.cpuMs || wallMs - since.wallMs > limits.wallMs) end(late);
  else if (process.memoryUsage.rss() > limits.memoryBytes) end("SIGKILL");
}, 50);
`;
