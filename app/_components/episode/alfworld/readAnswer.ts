/** One fact that an observation of ALFWorld states. */
export type Fact =
  | { kind: "room" | "here"; receptacles: string[] }
  | { kind: "contents"; receptacle: string; objects: string[] }
  | { kind: "open" | "closed"; receptacle: string }
  | { kind: "taken" | "put"; object: string; receptacle: string }
  | { kind: "carried"; object: string | undefined }
  | { kind: "state"; object: string; state: string };

type Reading = readonly [pattern: RegExp, toFacts: (...parts: string[]) => readonly Fact[]];

const readings: readonly Reading[] = [
  [
    /^-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room\. Looking quickly around you, you see (.+)\.\n\nYour task is to: .+\.$/,
    (list = "") => [{ kind: "room", receptacles: readList(list) }],
  ],
  [
    /^You are in the middle of a room\. Looking quickly around you, you see nothing\.$/,
    () => [{ kind: "here", receptacles: [] }],
  ],
  [
    /^You are facing the (.+)\. Next to it, you see nothing\.$/,
    (list = "") => [{ kind: "here", receptacles: readList(list) }],
  ],
  [/^On the ([^,]+), you see (.+)\.$/, (receptacle = "", list = "") => [toContents(receptacle, list)]],
  [/^The ([^,]+) is closed\.$/, (receptacle = "") => [{ kind: "closed", receptacle }]],
  [
    /^The ([^,]+) is open\. In it, you see (.+)\.$/,
    (receptacle = "", list = "") => [{ kind: "open", receptacle }, toContents(receptacle, list)],
  ],
  [/^You close the (.+)\.$/, (receptacle = "") => [{ kind: "closed", receptacle }]],
  [/^You pick up the (.+) from the (.+)\.$/, (object = "", receptacle = "") => [{ kind: "taken", object, receptacle }]],
  [/^You move the (.+) to the (.+)\.$/, (object = "", receptacle = "") => [{ kind: "put", object, receptacle }]],
  [/^You clean the (.+) using the .+\.$/, (object = "") => [{ kind: "state", object, state: "clean" }]],
  [/^You heat the (.+) using the .+\.$/, (object = "") => [{ kind: "state", object, state: "hot" }]],
  [/^You cool the (.+) using the .+\.$/, (object = "") => [{ kind: "state", object, state: "cool" }]],
  [/^You turn on the (.+)\.$/, (object = "") => [{ kind: "state", object, state: "on" }]],
  [/^You sliced the (.+) with the .+\.$/, (object = "") => [{ kind: "state", object, state: "sliced" }]],
  [/^You are carrying: a (.+)\.$/, (object) => [{ kind: "carried", object }]],
  [/^You are not carrying anything\.$/, () => [{ kind: "carried", object: undefined }]],
  [/^(?:Nothing happens\.|There's nothing special about .+\.|This is a .+\.|Available commands:\n[^]*)$/, () => []],
];

/** Parses an observation; undefined if it is not from ALFWorld. */
export function readAnswer(text: string): readonly Fact[] | undefined {
  const [, arrivedAt, afterArrival] = /^You arrive at (.+?)\. (.+)$/.exec(text) ?? [];
  if (arrivedAt !== undefined && afterArrival !== undefined) {
    const facts = readAnswer(afterArrival);
    return facts && [{ kind: "here", receptacles: [arrivedAt] }, ...facts];
  }
  const [, afterOpening] = /^You open the .+?\. (The .+)$/.exec(text) ?? [];
  if (afterOpening !== undefined) return readAnswer(afterOpening);
  for (const [pattern, toFacts] of readings) {
    const match = pattern.exec(text);
    if (match) return toFacts(...match.slice(1));
  }
  return undefined;
}

function toContents(receptacle: string, list: string): Fact {
  return { kind: "contents", receptacle, objects: readList(list) };
}

/** `nothing`, `a mug 1`, `a mug 2, and a pen 1`; the list of faced receptacles has no articles. */
function readList(text: string): string[] {
  if (text === "nothing") return [];
  return text.split(/, and |, /).map((item) => item.replace(/^a /, ""));
}
