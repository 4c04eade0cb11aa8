import { isMap, isSeq, parseDocument, type Document } from "yaml";
import { badInput } from "#packages/base";
import { z } from "zod";
import { AlertsFile, minSeverities } from "#server/domain/fleet/alerts/alertsFile.ts";

/**
 * Schema of a channel in the form of the page Alerts. An absent address keeps the stored one, which no page shows,
 * because it is a secret of the receiver.
 */
export const ChannelForm = z.strictObject({
  /** Name of the channel to change; absent: a new channel. */
  before: z.string().max(100).optional(),
  kind: z.enum(["slack", "discord", "mattermost", "webhook", "email"]),
  name: z.string().max(100),
  url: z.string().max(2000).optional(),
  to: z.array(z.string().max(320)).max(50).optional(),
  severity: z.enum(minSeverities),
});
export type ChannelForm = z.infer<typeof ChannelForm>;

/** Adds or changes a channel in the text of `alerts.yaml`; comments and all other settings stay. Throws `bad_input`. */
export function putChannel(text: string, { before, ...form }: ChannelForm): string {
  const document = readDocument(text);
  const { channels } = listChannels(document);
  const index = before === undefined ? channels.length : channels.findIndex(({ name }) => name === before);
  if (index < 0) throw badInput([{ path: "before", message: `alerts.yaml has no channel “${before}”` }]);
  if (!isSeq(document.get("channels"))) document.set("channels", document.createNode([]));
  const list = document.get("channels");
  if (isSeq(list)) list.flow = false;
  if (before === undefined) document.addIn(["channels"], document.createNode({}));
  const item = document.getIn(["channels", index], true);
  if (isMap(item)) item.flow = false;
  // Fields of another kind would make the channel invalid.
  if (form.kind === "email") for (const key of ["url", "secret"]) document.deleteIn(["channels", index, key]);
  if (form.kind !== "email") document.deleteIn(["channels", index, "to"]);
  if (form.kind !== "webhook") document.deleteIn(["channels", index, "secret"]);
  for (const [key, value] of Object.entries(form)) {
    if (value !== undefined) document.setIn(["channels", index, key], document.createNode(value));
  }
  return write(document, index);
}

/** Removes a channel from the text of `alerts.yaml`. Throws `bad_input`. */
export function removeChannel(text: string, name: string): string {
  const document = readDocument(text);
  const index = listChannels(document).channels.findIndex((one) => one.name === name);
  if (index < 0) throw badInput([{ path: "channel", message: `alerts.yaml has no channel “${name}”` }]);
  document.deleteIn(["channels", index]);
  return write(document, index);
}

/** Reads the text of a YAML file so that its comments stay; `name` is the file's in errors. */
export function readDocument(text: string, name = "alerts.yaml"): Document {
  const document = parseDocument(text, { uniqueKeys: true });
  const [error] = document.errors;
  if (error) throw badInput([{ path: name, message: error.message }]);
  if (document.contents === null) document.contents = document.createNode({}) as never;
  return document;
}

const Named = z
  .object({ channels: z.array(z.object({ name: z.string().optional() })).catch([]) })
  .catch({ channels: [] });

function listChannels(document: Document) {
  return Named.parse(document.toJS({ maxAliasCount: 100 }));
}

/** Writes a valid file; problems of the channel are named by its fields, other problems by their path. */
function write(document: Document, index: number): string {
  const { error } = AlertsFile.safeParse(document.toJS({ maxAliasCount: 100 }));
  if (error) {
    throw badInput(
      error.issues.map(({ path, message }) => ({
        path: path
          .join(".")
          .replace(`channels.${index}.`, "")
          .replace(/^to\.\d+$/, "to"),
        message,
      })),
    );
  }
  return document.toString({ lineWidth: 0 });
}
