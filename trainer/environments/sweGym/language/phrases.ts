/** Special words for recurring sentences of tool outputs, which shorten the prompt of a small policy. */
const phrases: Readonly<Record<string, string>> = {
  "<cat>": "Here's the result of running `cat -n` on",
  "<edited>": "has been edited. Here's the result of running `cat -n` on a snippet of",
  "<inserted>": "has been edited. Here's the result of running `cat -n` on",
  "<the-edited-file>": "a snippet of the edited file:",
  "<review>": "Review the changes and make sure they are as expected. Edit the file again if necessary.",
  "<review-insertion>":
    "Review the changes and make sure they are as expected (correct indentation, no duplicate lines, etc). Edit the file again if necessary.",
  "<listing>": "Here's the files and directories up to 2 levels deep in",
  "<hidden>": "excluding hidden items:",
  "<undone>": "undone successfully.",
  "<last-edit>": "Last edit to",
  "<invalid>": "Invalid command.",
  "<no-match>": "No matches found.",
  "<no-output>": "Your command ran successfully and did not produce any output.",
  "<no-path>": "does not exist. Please provide a valid path.",
  "<no-history>": "No edit history found for",
  "<no-line>": "Invalid line:",
  "<in-lines>": "It should be within the range of lines of the file:",
  "<no-replacement>": "No replacement was performed",
  "<not-verbatim>": "did not appear verbatim in",
  "<same>": "is the same as new_str",
  "<multiple>": "Multiple occurrences of old_str",
  "<unique>": "Please ensure it is unique",
  "<directory>": "is a directory and only the `view` command can be used on directories",
  "<clipped>": "<response clipped>",
  "<submitted>": "The changes have been submitted.",
};

export const phraseWords = Object.keys(phrases);

const words = new Map(Object.entries(phrases).map(([word, phrase]) => [phrase, word]));
const longestFirst = [...words.keys()].sort((a, b) => b.length - a.length);
const anyPhrase = new RegExp(
  `(${longestFirst.map((phrase) => phrase.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join("|")})`,
);

export function splitPhrases(text: string): readonly string[] {
  return text.split(anyPhrase).filter((part) => part !== "");
}

export function wordOfPhrase(text: string): string | undefined {
  return words.get(text);
}

export function phraseOf(word: string): string | undefined {
  return Object.hasOwn(phrases, word) ? phrases[word] : undefined;
}
