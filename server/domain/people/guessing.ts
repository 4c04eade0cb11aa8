/** Name and address in an entry of the log of changes about many wrong passwords. */
export const guessing = { who: "somebody unknown", action: "sign-in" } as const;

/** Such a line of the last day. */
export type Guesses = { id: number; subject: string; problem: string };
