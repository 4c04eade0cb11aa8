"use client";
import dynamic from "next/dynamic";
import type { ComponentProps } from "react";
import { HeadMenu } from "./HeadMenu.tsx";

// Loaded when first opened, with what draws on paper.
const FigureFiles = dynamic(() => import("./FigureFiles.tsx").then((module) => module.FigureFiles), { ssr: false });

/** The menu of a figure that has no settings: its files, and the whole screen. */
export function FigureMenu(props: ComponentProps<typeof FigureFiles>) {
  return <HeadMenu title={props.title}>{() => <FigureFiles {...props} />}</HeadMenu>;
}
