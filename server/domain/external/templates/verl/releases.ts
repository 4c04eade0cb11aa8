/** Releases of verl whose commands differ, oldest first; a later patch of one has the same commands. */
export const verlReleases = ["0.7", "0.8", "0.9"] as const;
export type VerlRelease = (typeof verlReleases)[number];

/** Facts of one release, read off its sources. */
type Facts = {
  /** Losses by `policy_loss.loss_mode`; the usual loss, `vanilla`, is not named in commands. */
  losses: readonly string[];
  /** Aggregation of losses that ignore `loss_agg_mode`; every other loss takes the mode that is passed. */
  ownModes: Readonly<Record<string, string>>;
  /** Its default trainer (`trainer.use_v1`) has no ReMax baseline and no loss of the bypass mode; the older one has both. */
  hasV1: boolean;
  /** Weights of the sampler that are zero outside two bounds (IcePop). */
  boundsBelow: boolean;
  /** Dynamic sampling, by its default trainer alone. */
  filtersGroups: boolean;
};

const early: Facts = {
  losses: ["gspo", "sapo", "cispo", "clip_cov", "kl_cov", "geo_mean", "gpg", "dppo_tv", "dppo_kl"],
  ownModes: { gspo: "seq-mean-token-mean", sapo: "seq-mean-token-mean", geo_mean: "seq-mean-token-mean" },
  hasV1: false,
  boundsBelow: false,
  filtersGroups: false,
};

export const factsOf: Readonly<Record<VerlRelease, Facts>> = {
  "0.7": early,
  "0.8": { ...early, boundsBelow: true },
  "0.9": {
    losses: [...early.losses, "dro"],
    // GSPO takes the mode that is passed from here on.
    ownModes: { sapo: "seq-mean-token-mean", geo_mean: "seq-mean-token-mean" },
    hasV1: true,
    boundsBelow: true,
    filtersGroups: true,
  },
};

/** The newest release: commands are written for it where no version is known. */
export const newestRelease: VerlRelease = "0.9";

/** The release that a version belongs to, and what is uncertain about it. */
export function releaseOf(version: string | undefined): { release: VerlRelease; doubt?: string } {
  const known = `commands are known for verl ${verlReleases.join(", ")}`;
  if (version === undefined) {
    return {
      release: newestRelease,
      doubt: `the version of verl is not known: the command is for ${newestRelease}; say \`version:\` in the template (${known})`,
    };
  }
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  const release = verlReleases.find((one) => one === `${major}.${minor}`);
  if (release !== undefined) return { release };
  const isOlder = Number(major) === 0 && Number(minor) < 7;
  const nearest = isOlder ? verlReleases[0] : newestRelease;
  return { release: nearest, doubt: `verl ${version} was not tested: the command is for ${nearest} (${known})` };
}
