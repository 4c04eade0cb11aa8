import { z } from "zod";

const Mount = z
  .string()
  .regex(
    /^\/[^:,\n\0]*(:\/[^:,\n\0]*(:(ro|rw))?)?$/,
    "must be a folder such as /data, /data:/inside or /data:/inside:ro",
  );
const settings = {
  /** Container image as a file, or as an address such as docker://… */
  image: z.string().regex(/^[^-\s][^\n\0]*$/, "must be an image file, or an image address such as docker://…"),
  /** Folders of the machine that are mounted in the container, in addition to the run's own folder. */
  mounts: z.array(Mount).max(100).default([]),
};
/** Apptainer and Singularity: both run an image as an ordinary user, with the same command-line syntax. */
const Apptainer = z.strictObject({ runtime: z.enum(["apptainer", "singularity"]).default("apptainer"), ...settings });
const Pyxis = z.strictObject({ runtime: z.literal("pyxis"), ...settings });

/** Schema of the container image in which external trainers' programs run. */
export const Container = Apptainer;
/** Schema of the container on a Slurm cluster, where the plugin pyxis can also run the image. */
export const SlurmContainer = z.union([Pyxis, Apptainer]);
export type Container = z.infer<typeof SlurmContainer>;

type Inside = { /** Working directory. */ folder: string; /** Folders of the run itself. */ own: readonly string[] };

/** Runs a command in a container, where the run's folders have the same paths, so that its paths stay valid. */
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
      // Without an NVIDIA driver, --nv only causes a warning.
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
