/** Starts measuring pauses of this process's event loop. The returned function stops, and returns the longest in ms. */
export function watchLoop(): () => number {
  let [longest, last] = [0, performance.now()];
  const look = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(look, 20);
  return () => {
    clearInterval(timer);
    look();
    return longest;
  };
}
