/** True in `npm run soak`, where tests of whole systems have their full length; `npm test` runs their short forms. */
export const isSoak = process.env["ARLARENA_SOAK"] !== undefined;
