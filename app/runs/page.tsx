import { redirect } from "next/navigation";

/** Runs live under their sweeps. */
export default function RunsPage() {
  redirect("/sweeps");
}
