/** Rows asked for at once. */
export const windowLength = 100;
