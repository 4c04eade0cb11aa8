import { useState } from "react";
import { useTrpc } from "#app/_trpc/client.tsx";
import { useAction } from "#app/_trpc/useAction.ts";
import { Button } from "#app/_ui/Button.tsx";
import { ChoiceField, toOptions } from "#app/_ui/Choice.tsx";
import { Dialog } from "#app/_ui/Dialog.tsx";
import { TextField } from "#app/_ui/Field.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import type { ChannelSummary } from "#server/domain/fleet/alerts/message.ts";
import { services, severities } from "./describeChannel.ts";

type Props = { channel: ChannelSummary | undefined; onClose: () => void };

const aboutMail = "E-mail addresses, separated by commas. The file must name a mail server (smtp).";
const aboutWebhook =
  "Must be on the public internet; private receivers are allowed only in alerts.yaml (allowPrivate).";
const aboutForm =
  "It also reports ended sweeps, silent nodes, full disks and spent budgets. The form writes alerts.yaml and keeps its comments and all other settings.";

/** Form of a new channel, or of one whose address stays hidden: an empty address keeps it. */
export function ChannelDialog({ channel, onClose }: Props) {
  const trpc = useTrpc();
  const [kind, setKind] = useState<ChannelSummary["kind"]>(channel?.kind ?? "slack");
  const [name, setName] = useState(channel?.name ?? "");
  const [address, setAddress] = useState("");
  const [severity, setSeverity] = useState<ChannelSummary["severity"]>(channel?.severity ?? "unstable");
  const typed = address.split(/[\s,;]+/).filter((one) => one !== "");
  const form = {
    ...(channel && { before: channel.name }),
    ...(typed.length > 0 && (kind === "email" ? { to: typed } : { url: address.trim() })),
    kind,
    name: name.trim(),
    severity,
  };
  const save = useAction(trpc.alerts.save.mutationOptions(), { showsError: true, stale: [trpc.alerts.pathFilter()] });
  const test = useAction(trpc.alerts.test.mutationOptions(), { stale: [trpc.alerts.pathFilter()] });
  const send = (isTested: boolean) =>
    save.mutate(form, {
      onSuccess: () => {
        if (isTested) test.mutate({ channel: form.name });
        onClose();
      },
    });
  const isKept = channel !== undefined && (channel.kind === "email") === (kind === "email");
  const isReady = form.name !== "" && (isKept || typed.length > 0) && !save.isPending;
  return (
    <Dialog
      open
      title={channel ? `Channel ${channel.name}` : "New channel"}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button disabled={!isReady} onClick={() => send(false)}>
            Save
          </Button>
          <Button kind="primary" disabled={!isReady} onClick={() => send(true)}>
            Save and send a test
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <ChoiceField label="Service" options={toOptions(services)} value={kind} onChange={setKind} />
          <TextField label="Name" value={name} onChange={({ target }) => setName(target.value)} />
        </div>
        <TextField
          label={kind === "email" ? "Recipients" : "Webhook address"}
          hint={isKept ? `Stays as it is if empty (${channel.to}).` : kind === "email" ? aboutMail : aboutWebhook}
          value={address}
          onChange={({ target }) => setAddress(target.value)}
        />
        <ChoiceField label="Reports" options={toOptions(severities)} value={severity} onChange={setSeverity} />
        <p className="text-sm text-muted">{aboutForm}</p>
        {save.error && <Notice tone="bad">{errorWords(save.error)}</Notice>}
      </div>
    </Dialog>
  );
}
