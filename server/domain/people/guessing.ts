/** Name and address in an entry of the log of changes about many wrong passwords. */
export const guessing = { who: "somebody unknown", action: "sign-in" } as const;

/** Such an entry of the last 24 hours. */
export type Guesses = { id: number; subject: string; problem: string };
