import { z } from "zod";

const Mount = z
  .string()
  .regex(
    /^\/[^:,\n\0]*(:\/[^:,\n\0]*(:(ro|rw))?)?$/,
    "must be a folder such as /data, /data:/inside or /data:/inside:ro",
  );
const settings = {
  /** A file, or an address such as docker://… */
  image: z.string().regex(/^[^-\s][^\n\0]*$/, "must be a file or an address of an image"),
  /** Folders of the machine that the image has too, beside the run's own. */
  mounts: z.array(Mount).max(100).default([]),
};
/** Programs that run an image as an ordinary user: their command lines are the same. */
const Apptainer = z.strictObject({ runtime: z.enum(["apptainer", "singularity"]).default("apptainer"), ...settings });
const Pyxis = z.strictObject({ runtime: z.literal("pyxis"), ...settings });

/** The image in which programs of other trainers run. */
export const Container = Apptainer;
/** On Slurm its plugin pyxis may run it. */
export const SlurmContainer = z.union([Pyxis, Apptainer]);
export type Container = z.infer<typeof SlurmContainer>;

type Inside = { /** The working folder. */ folder: string; /** Folders of the run itself. */ own: readonly string[] };

/** A command as it is run in an image. The run's folders are the same inside, so every path in it holds. */
export function inContainer(
  { runtime, image, mounts }: Container,
  argv: readonly string[],
  { folder, own }: Inside,
): string[] {
  const all = [...new Set([...own, folder].map((path) => `${path}:${path}`))];
  const binds = [...all, ...mounts.map((mount) => (mount.includes(":") ? mount : `${mount}:${mount}`))].join(",");
  switch (runtime) {
    case "apptainer":
    case "singularity":
      // Without an NVIDIA driver --nv only warns.
      return [runtime, "exec", "--nv", "--pwd", folder, "--bind", binds, image, ...argv];
    case "pyxis":
      return [
        "srun",
        "--overlap",
        "--nodes=1",
        "--ntasks=1",
        `--container-image=${image}`,
        `--container-mounts=${binds}`,
        `--container-workdir=${folder}`,
        ...argv,
      ];
  }
}
