/** Bands that a chart draws without hiding one behind another. Of more lines only the last points have whiskers. */
export const mostBands = 6;
