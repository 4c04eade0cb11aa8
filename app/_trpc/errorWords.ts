import { TRPCClientError } from "@trpc/client";

/** An error as a sentence for people; the server's own words when it sent some. */
export function errorWords(error: unknown): string {
  if (error instanceof TRPCClientError && !error.data) return "The server does not answer. Is it still running?";
  return error instanceof Error ? error.message : String(error);
}
