/** Releases of verl on PyPI whose commands are known, oldest first. Patch releases differ, too. */
export const verlReleases = ["0.7.0", "0.7.1", "0.8.0", "0.9.0", "0.9.1"] as const;
export type VerlRelease = (typeof verlReleases)[number];

/** Properties of a verl release that affect commands, read from its sources. */
export type Facts = {
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
  /**
   * Value by which the release's default trainer filters groups in dynamic sampling: the row's reward, or the reward
   * manager's `acc`, which is the reward if the reward function returns a number. Null: it trains on all groups.
   */
  filtersBy: "reward" | "acc" | null;
  /** True if rejections are named by statistic and level; 0.7.0 has a syntax of its own. */
  namesRejections: boolean;
  /** Section of the reward function in the configuration. */
  rewardSection: "reward.custom_reward_function" | "custom_reward_function";
};

const fixed = "seq-mean-token-mean";

const first: Facts = {
  losses: ["gspo", "sapo", "cispo", "clip_cov", "kl_cov", "geo_mean", "gpg"],
  ownModes: { gspo: fixed, sapo: fixed, geo_mean: fixed },
  hasV1: false,
  boundsBelow: false,
  filtersBy: null,
  namesRejections: false,
  rewardSection: "custom_reward_function",
};
const second: Facts = {
  ...first,
  losses: [...first.losses, "dppo_tv", "dppo_kl"],
  namesRejections: true,
  rewardSection: "reward.custom_reward_function",
};
const fourth: Facts = {
  ...second,
  losses: [...second.losses, "dro"],
  hasV1: true,
  boundsBelow: true,
  filtersBy: "acc",
};

export const factsOf: Readonly<Record<VerlRelease, Facts>> = {
  "0.7.0": first,
  "0.7.1": second,
  "0.8.0": { ...second, boundsBelow: true },
  "0.9.0": fourth,
  // GSPO uses the passed aggregation mode in this release alone; verl's main branch has fixed it again.
  "0.9.1": { ...fourth, ownModes: { sapo: fixed, geo_mean: fixed }, filtersBy: "reward" },
};

export function isKnownRelease(version: string): boolean {
  return verlReleases.some((one) => one === version);
}

/** Newest release of verl; its commands are used if the installed version is unknown. */
export const newestRelease: VerlRelease = "0.9.1";

/**
 * Returns the reason why a version is refused; undefined if it is not older than the known releases. Releases to 0.6.0
 * have other settings and refuse every command; 0.6.1 lacks losses and refuses some.
 */
export function describeTooOld(version: string): string | undefined {
  const [, major = "", minor = ""] = /^v?(\d+)\.(\d+)/.exec(version.trim()) ?? [];
  if (major !== "0" || Number(minor) >= 7) return undefined;
  return `verl ${version} is older than ${verlReleases[0]}, the oldest release whose settings the studio knows: install ${newestRelease}`;
}

type Known = { release: VerlRelease; facts: Facts; doubt?: string };

/** Returns the verl release whose commands a version takes, with its facts, and a note if this is doubtful. */
export function releaseOf(version: string | undefined): Known {
  const known = `commands are known for verl ${verlReleases.join(", ")}`;
  if (version === undefined) {
    return {
      ...unsure(newestRelease),
      doubt: `the version of verl is not known: the command is for ${newestRelease}; say \`version:\` in the template (${known})`,
    };
  }
  const [, plain = "", suffix = ""] = /^v?(\d+(?:\.\d+)*)(.*)$/.exec(version.trim()) ?? [];
  const exact = verlReleases.find((one) => one === plain);
  if (exact !== undefined && suffix === "") return { release: exact, facts: factsOf[exact] };
  const nearest = nearestTo(plain);
  return { ...unsure(nearest), doubt: `verl ${version} was not tested: the command is for ${nearest} (${known})` };
}

/** Facts of a version that may not be the release itself: losses may have a mode of their own, as in other versions. */
function unsure(release: VerlRelease): Known {
  return { release, facts: { ...factsOf[release], ownModes: { ...first.ownModes, ...factsOf[release].ownModes } } };
}

/** Newest known patch of the version's minor release; for other versions the newest known release. */
function nearestTo(plain: string): VerlRelease {
  const [major = 0, minor = 0] = plain.split(".").map(Number);
  return verlReleases.findLast((one) => one.startsWith(`${major}.${minor}.`)) ?? newestRelease;
}
