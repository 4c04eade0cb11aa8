/** Who and what a line in the log of changes is about that tells of many wrong passwords. */
export const guessing = { who: "somebody unknown", action: "sign-in" } as const;

/** Such a line of the last day. */
export type Guesses = { id: number; subject: string; problem: string };
