import { makePhraseCodec } from "../phrases.ts";
import { canContain, lamps } from "./kinds.ts";
import { rooms } from "./rooms.ts";
import { help, nothingHappens } from "./text.ts";

const around = "You are in the middle of a room. Looking quickly around you, you see";

/** The engine's fixed phrases, each one word of a small policy's vocabulary. */
export const codec = makePhraseCodec({
  "<room>": `-= Welcome to TextWorld, ALFRED! =-\n\n${around} a `,
  "<goal>": ".\n\nYour task is to: ",
  "<middle>": `${around} nothing.`,
  "<facing>": "You are facing the ",
  "<alone>": ". Next to it, you see nothing.",
  "<at>": "You arrive at ",
  "<on>": ". On the ",
  "<On>": "On the ",
  "<see>": ", you see a ",
  "<bare>": ", you see nothing.",
  "<the>": ". The ",
  "<The>": "The ",
  "<closed>": " is closed.",
  "<inside>": " is open. In it, you see a ",
  "<empty>": " is open. In it, you see nothing.",
  "<opened>": "You open the ",
  "<shut>": "You close the ",
  "<took>": "You pick up the ",
  "<off>": " from the ",
  "<put>": "You move the ",
  "<onto>": " to the ",
  "<cleaned>": "You clean the ",
  "<heated>": "You heat the ",
  "<cooled>": "You cool the ",
  "<using>": " using the ",
  "<lit>": "You turn on the ",
  "<sliced>": "You sliced the ",
  "<knife>": " with the ",
  "<carrying>": "You are carrying: a ",
  "<unburdened>": "You are not carrying anything.",
  "<normal>": "This is a normal ",
  "<hollow>": ". In it, you see nothing.",
  "<thing>": "This is a ",
  "<plain>": "There's nothing special about ",
  "<nothing>": nothingHappens,
  "<help>": help,
  ",": ", a ",
  "&": ", and a ",
  "+": ", and ",
  ".": ".",
});

const kindsOf = (): string[] => [
  ...Object.keys(canContain),
  ...rooms.flatMap(({ objects }) => objects.map(([kind]) => kind)),
  ...lamps,
];

/** Words of commands, goals, states of things and the expert's thoughts. */
const plain =
  "look inventory help go to open close take from move examine use heat clean cool slice with put a some in on at under the it and find two them hot cold sliced have";

/** Every word that can be printed, given the highest number of any kind. */
export function vocabularyOf(highestNumber: number): string[] {
  const numbers = Array.from({ length: highestNumber }, (_, i) => String(i + 1));
  return [...new Set([...codec.words, ...plain.split(" "), ...kindsOf(), ...numbers])];
}
