import type { PromptInput } from "../environment.ts";
import { root } from "./workspace.ts";

export const instruction = `You are a software engineer at a terminal. A repository of Python modules is in ${root}; code is in ${root}/src, tests are in ${root}/tests.
Commands, one a turn:
ls [PATH]
search TEXT
view PATH [FIRST LAST]
edit PATH LINE : NEW TEXT OF THAT LINE
str_replace_editor view|create|str_replace|insert|undo_edit PATH [--view_range FIRST LAST] [--file_text TEXT] [--old_str TEXT] [--new_str TEXT] [--insert_line LINE]
test [PATH]
submit`;

/**
 * Renders the prompt of a large language model as one growing conversation, as in SWE-agent: the repository, the
 * issue, instructions, then turn after turn.
 */
export function renderFull({ task, observation, past }: PromptInput): string {
  const turns = past.flatMap(({ observation: seen, action }) => [`OBSERVATION:\n${seen}`, `ACTION:\n${action}`]);
  return [
    instruction,
    "",
    `<uploaded_files>\n${root}\n</uploaded_files>`,
    `A user reports this issue:\n<pr_description>\n${task}\n</pr_description>`,
    "Change the code so that the issue is resolved. The tests are there already and need no change.",
    "A way to do it: 1. Find the code in question. 2. See what goes wrong. 3. Edit the code. 4. Run the tests. 5. Submit.",
    "First reason inside <think> </think> tags, then give one command inside <action> </action> tags.",
    "",
    ...turns,
    `OBSERVATION:\n${observation}`,
  ].join("\n");
}
