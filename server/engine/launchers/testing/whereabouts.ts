import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** Source of a test program that reports its folder, host, container image and secret, and logs one measurement. */
const reportText = `
const { createHash } = require("node:crypto");
const { env } = process;
const secret = env.PLANTED_TOKEN ?? "";
console.log("WHERE " + JSON.stringify({
  cwd: process.cwd(), host: require("node:os").hostname(), image: env.STANDIN_IMAGE ?? null, runtime: env.STANDIN_RUNTIME ?? null,
  prepared: env.PREPARED ?? null, plain: env.PLAIN ?? null, mounts: env.STANDIN_MOUNTS ?? "",
  hash: createHash("sha256").update(secret).digest("hex"), names: Object.keys(env),
}));
console.log("careless: " + secret);
console.error("careless: " + secret);
console.log(JSON.stringify({ step: 1, loss: 0.5, note: secret }));
setTimeout(() => undefined, Number(env.LINGER_MS ?? 0));
`;

export const Where = z.object({
  cwd: z.string(),
  host: z.string(),
  image: z.string().nullable(),
  runtime: z.string().nullable(),
  prepared: z.string().nullable(),
  plain: z.string().nullable(),
  mounts: z.string(),
  hash: z.string(),
  names: z.array(z.string()),
});

/** Source of a stand-in for `apptainer` that parses the arguments of `exec` and runs the command without an image. */
const apptainerText = `#!/bin/bash
[ "$1" = exec ] || { echo "Error for command \\"$(basename "$0")\\": unknown command \\"$1\\"" >&2; exit 255; }
shift
mounts=
while [ "\${1#-}" != "$1" ]; do
  case $1 in
    --nv) shift ;;
    --pwd) cwd=$2; shift 2 ;;
    --bind) mounts=$2; shift 2 ;;
    *) echo "Error for command \\"exec\\": unknown flag: $1" >&2; exit 255 ;;
  esac
done
image=$1
shift
[ -e "$image" ] || { echo "FATAL:   could not open image $image: no such file or directory" >&2; exit 255; }
IFS=,
for mount in $mounts; do
  source=\${mount%%:*}
  [ -e "$source" ] || { echo "FATAL:   container creation failed: mount source $source doesn't exist" >&2; exit 255; }
done
unset IFS
cd "$cwd" || exit 255
export STANDIN_IMAGE=$image STANDIN_RUNTIME=apptainer STANDIN_MOUNTS=$mounts
exec "$@"
`;

/** Stand-in for `srun` with the plugin pyxis: removes pyxis's options and calls the real `srun`. */
const srunText = (real: string) => `#!/bin/bash
rest=()
while [ "\${1#-}" != "$1" ]; do
  case $1 in
    --container-image=*) export STANDIN_IMAGE=\${1#*=} STANDIN_RUNTIME=pyxis ;;
    --container-mounts=*) export STANDIN_MOUNTS=\${1#*=} ;;
    --container-workdir=*) rest+=("--chdir=\${1#*=}") ;;
    --container-*) echo "srun: unrecognized option '$1'" >&2; exit 1 ;;
    *) rest+=("$1") ;;
  esac
  shift
done
exec ${real} "\${rest[@]}" "$@"
`;

export type Whereabouts = { program: string; image: string; programs: string };

export async function makeWhereabouts(folder: string, srun = "srun"): Promise<Whereabouts> {
  const programs = join(folder, "programs");
  await mkdir(programs, { recursive: true });
  const [program, image] = [join(folder, "report.cjs"), join(folder, "verl.sif")];
  await writeFile(program, reportText);
  await writeFile(image, "");
  for (const [name, text] of [
    ["apptainer", apptainerText],
    ["srun", srunText(srun)],
  ] as const) {
    await writeFile(join(programs, name), text);
    await chmod(join(programs, name), 0o755);
  }
  return { program, image, programs };
}

export function readWhere(stdout: string): z.infer<typeof Where> {
  const line = stdout.split("\n").find((one) => one.startsWith("WHERE "));
  return Where.parse(JSON.parse(line?.slice("WHERE ".length) ?? "null"));
}

/** Lists files in a folder that contain `text`. `isOpen` is true if other users can read the file. */
export async function findText(folder: string, text: string): Promise<{ path: string; isOpen: boolean }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        const content = await readFile(path).catch(() => Buffer.of());
        return content.includes(text) ? [{ path, isOpen: ((await stat(path)).mode & 0o077) !== 0 }] : [];
      }),
  );
  return found.flat();
}
