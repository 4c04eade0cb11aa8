"use client";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { parseSettings, toQuery, type Settings } from "#app/_components/episode/settings.ts";

type State = {
  settings: Settings;
  /** The address as the router last told it. */
  seen: string;
  /** What was written to the address since: the router tells of it some time later. */
  written: readonly string[];
};

/** The settings in the address: written as they change, and followed where it changes otherwise, by a link or going back. */
export function useSettings(): [Settings, (settings: Settings) => void] {
  const address = useSearchParams().toString();
  const [state, setState] = useState(() => readAddress(address));
  if (address !== state.seen) {
    const at = state.written.indexOf(address);
    setState(at === -1 ? readAddress(address) : { ...state, seen: address, written: state.written.slice(at + 1) });
  }
  const change = (settings: Settings) => {
    const query = toQuery(settings);
    setState({ ...state, settings, written: [...state.written, query] });
    window.history.replaceState(null, "", `?${query}`);
  };
  return [state.settings, change];
}

function readAddress(address: string): State {
  return { settings: parseSettings(Object.fromEntries(new URLSearchParams(address))), seen: address, written: [] };
}
