import { TRPCClientError } from "@trpc/client";

/** Describes an error in a sentence for the user: the server's own message if there is one. */
export function errorWords(error: unknown): string {
  if (error instanceof TRPCClientError && !error.data) return "The server does not answer. Is it still running?";
  return error instanceof Error ? error.message : String(error);
}
