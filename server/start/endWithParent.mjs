// Ends this process when its parent, the supervisor, is killed. Child processes of the supervisor preload this
// module.
process.on("disconnect", () => process.exit(1));
// If the supervisor was killed while this process started, the event came before the listener. (A process that was
// started without a channel has no such property.)
if ("connected" in process && !process.connected) process.exit(1);
// Replies to the supervisor's health check of the event loop; any message counts as a reply.
process.on("message", (message) => message === "ping" && process.send("pong", () => {}));
// The message listener alone must not keep an idle child process alive.
process.channel?.unref();
