import { Link } from "#app/_ui/Link.tsx";
import type { OrchestratorHealth } from "#server/db/heartbeat.ts";
import type { Person } from "#server/db/people.ts";
import { Button } from "#app/_ui/Button.tsx";
import { Icon } from "#app/_ui/Icon.tsx";
import { Keys } from "#app/_components/palette/Keys.tsx";
import { Health } from "./Health.tsx";
import { Logo } from "./Logo.tsx";
import { NavLink } from "./NavLink.tsx";
import { Notices } from "./Notices.tsx";
import type { Theme } from "./theme.ts";
import { ThemeToggle } from "./ThemeToggle.tsx";

type Props = {
  theme: Theme;
  health: OrchestratorHealth | undefined;
  /** Null: the owner of the installation, who has no user name. */
  person: Person | null;
};

export function Header({ theme, health, person }: Props) {
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-surface">
      <div className="mx-auto flex min-h-12 max-w-[110rem] flex-wrap items-center gap-x-4 px-3 sm:px-6">
        <Link href="/sweeps" className="flex items-center gap-2 font-semibold" aria-label="ARLArena Studio, sweeps">
          <Logo />
          <span className="max-[26rem]:hidden">ARLArena Studio</span>
        </Link>
        {/* On a narrow screen, a row of its own that scrolls if it is too long. */}
        <nav
          aria-label="Main"
          className="flex gap-0.5 max-md:order-last max-md:-mx-1.5 max-md:w-full max-md:overflow-x-auto max-md:pb-1.5"
        >
          <NavLink href="/sweeps">Sweeps</NavLink>
          <NavLink href="/runs">Runs</NavLink>
          <NavLink href="/compare">Compare</NavLink>
          <NavLink href="/stability">Stability</NavLink>
          <NavLink href="/tables">Tables</NavLink>
          <NavLink href="/reports">Reports</NavLink>
          <NavLink href="/environments" short="Play">
            Environments
          </NavLink>
          <NavLink href="/nodes">Nodes</NavLink>
          <NavLink href="/people">People</NavLink>
        </nav>
        <div className="ml-auto flex items-center gap-1">
          <Keys />
          <Notices />
          <Health initial={health} />
          <ThemeToggle initial={theme} />
          {person && (
            <Link
              href="/people"
              title={`${person.name}, ${person.role}`}
              className="max-w-32 truncate rounded-md px-2 py-1 text-sm text-muted hover:bg-sunken hover:text-text max-sm:hidden"
            >
              {person.name}
            </Link>
          )}
          <form action="/api/sign-out" method="post">
            <Button type="submit" kind="quiet" className="px-2" title="Sign out" aria-label="Sign out">
              <Icon name="signOut" />
            </Button>
          </form>
        </div>
      </div>
    </header>
  );
}
