import type { ReactNode } from "react";
import type { Moment } from "#server/playground/play.ts";
import { HouseholdDrawing } from "./alfworld/HouseholdDrawing.tsx";
import { readHousehold } from "./alfworld/readHousehold.ts";
import { readRoom } from "./readRoom.ts";
import { RoomDrawing } from "./RoomDrawing.tsx";
import { readScene } from "./textworld/readScene.ts";
import { SceneDrawing } from "./textworld/SceneDrawing.tsx";
import { readShop } from "./webshop/readShop.ts";
import { ShopDrawing } from "./webshop/ShopDrawing.tsx";

/** The part of a moment that drawings read. */
export type DrawnMoment = Pick<Moment, "observation" | "turns" | "admissible">;
type Drawing = {
  picture: ReactNode;
  /** True if the picture shows everything in the text: the page then folds the text. */
  isWhole: boolean;
};

/**
 * The state of an episode as a picture, read from its texts; undefined for an environment that has no drawing.
 * @param action the next action, if it is known
 */
export function drawMoment(moment: DrawnMoment, action: string | undefined): Drawing | undefined {
  const room = readRoom(moment.observation);
  if (room) return { picture: <RoomDrawing rows={room} />, isWhole: true };
  const shop = readShop(moment);
  if (shop) return { picture: <ShopDrawing shop={shop} action={action} />, isWhole: true };
  const household = readHousehold(moment);
  if (household) return { picture: <HouseholdDrawing room={household} action={action} />, isWhole: false };
  const scene = readScene(moment);
  if (scene) return { picture: <SceneDrawing scene={scene} action={action} />, isWhole: false };
  return undefined;
}
