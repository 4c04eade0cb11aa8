/** Rows per request. */
export const windowLength = 100;
