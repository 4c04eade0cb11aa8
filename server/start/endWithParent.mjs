// Preloaded into the supervisor's child processes, which must end when the supervisor is killed.
process.on("disconnect", () => process.exit(1));
// Replies to the supervisor's health check of the event loop; any message counts as a reply.
process.on("message", (message) => message === "ping" && process.send("pong", () => {}));
// The listener alone must not keep an idle child process alive.
process.channel?.unref();
