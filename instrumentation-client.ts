import { config } from "zod/v4/core";

// Next.js runs this file first on every page. Without this setting, zod would try to compile its schemas with `new
// Function`, which the page's content security policy refuses and reports.
config({ jitless: true });
