/** Maximum number of calls in one request; the pages' client sends more calls in several requests. */
export const maxBatch = 20;
