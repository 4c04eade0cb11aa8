import { config } from "zod/v4/core";

// Next.js runs this file before any other of a page. Without it zod tries whether it may compile its schemas with
// `new Function`, which the pages' policy refuses and reports.
config({ jitless: true });
