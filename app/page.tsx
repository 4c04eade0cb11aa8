import { pages } from "#server/domain/pages.ts";
import { redirect } from "next/navigation";

export default function Home() {
  redirect(pages.sweeps);
}
