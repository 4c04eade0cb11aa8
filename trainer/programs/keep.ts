import type { MessagePort } from "node:worker_threads";
import { makeConfined, type Answer, type Limits } from "#trainer/confined/confine.ts";

/** Input of the keeper thread: arguments and limits of the process, and the channel to the waiting thread. */
export type Kept = { args: readonly string[]; limits: Limits; port: MessagePort; numAnswered: Int32Array };

export type KeptAnswer = Answer | { kind: "problem"; text: string };

/** Runs a confined process for a thread that blocks while it waits, and wakes it when the answer is in its port. */
export function keep({ args, limits, port, numAnswered }: Kept): void {
  const confined = makeConfined(args, limits);
  const respond = async (request: unknown): Promise<void> => {
    const answer = await confined.ask(request).catch((error: unknown): KeptAnswer => {
      return { kind: "problem", text: error instanceof Error ? error.message : String(error) };
    });
    port.postMessage(answer);
    Atomics.add(numAnswered, 0, 1);
    Atomics.notify(numAnswered, 0);
  };
  port.on("message", (request: unknown) => void respond(request));
}
