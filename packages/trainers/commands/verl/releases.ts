/** Releases of verl with different commands, oldest first; patches have their release's commands. */
export const verlReleases = ["0.7", "0.8", "0.9"] as const;
export type VerlRelease = (typeof verlReleases)[number];

/** Properties of a verl release that affect commands, read from its sources. */
type Facts = {
  /** Names of the release's losses in `policy_loss.loss_mode`; the default, `vanilla`, is not named in commands. */
  losses: readonly string[];
  /** Aggregation mode of each loss that ignores `loss_agg_mode`; all other losses use the passed mode. */
  ownModes: Readonly<Record<string, string>>;
  /**
   * True if the release's default trainer (`trainer.use_v1`) lacks the ReMax baseline, and the policy gradient and
   * rejections of bypass mode, which its older trainer has.
   */
  hasV1: boolean;
  /** True if the sampler's weights can be set to zero both above and below bounds (IcePop). */
  boundsBelow: boolean;
  /** True if the release's default trainer supports dynamic sampling. */
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
    // Since this release, GSPO uses the passed aggregation mode.
    ownModes: { sapo: "seq-mean-token-mean", geo_mean: "seq-mean-token-mean" },
    hasV1: true,
    boundsBelow: true,
    filtersGroups: true,
  },
};

/** Newest release of verl; its commands are used if the installed version is unknown. */
export const newestRelease: VerlRelease = "0.9";

/** Returns the verl release to which a version belongs, and a note if this is doubtful. */
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
