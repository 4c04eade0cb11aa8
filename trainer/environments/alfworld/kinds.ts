/** Names of ALFWorld's classes of objects and receptacles (from ALFRED, AI2-THOR), in lower case. */

const tabletop = words(
  "alarmclock apple baseballbat basketball book bowl box bread butterknife candle cd cellphone cloth creditcard cup dishsponge egg fork glassbottle handtowel kettle keychain knife ladle laptop lettuce mug newspaper pan papertowel pen pencil peppershaker plate pot potato remotecontrol saltshaker soapbar soapbottle spatula spoon spraybottle statue tennisracket tissuebox toiletpaper toiletpaperroll tomato vase watch wateringcan winebottle",
);
const seat = words("basketball book box cellphone cloth creditcard keychain laptop newspaper pillow remotecontrol");
const desk = words(
  "alarmclock basketball book bowl box candle cd cellphone cloth creditcard cup glassbottle keychain laptop mug newspaper pen pencil plate remotecontrol soapbottle spraybottle statue tennisracket tissuebox toiletpaper toiletpaperroll vase watch wateringcan winebottle",
);

/** Kinds of objects that each kind of receptacle can hold. Lamps are left out: they never move. */
export const canContain: Readonly<Record<string, readonly string[]>> = {
  armchair: seat,
  bathtubbasin: words("cloth dishsponge handtowel soapbar"),
  bed: words("baseballbat basketball book cellphone laptop newspaper pillow tennisracket"),
  cabinet: words(
    "book bowl box candle cd cloth cup dishsponge glassbottle handtowel kettle ladle mug newspaper pan peppershaker plate plunger pot saltshaker soapbar soapbottle spraybottle tissuebox toiletpaper toiletpaperroll vase wateringcan winebottle",
  ),
  cart: words(
    "candle cloth dishsponge handtowel mug papertowel plunger soapbar soapbottle spraybottle statue tissuebox toiletpaper toiletpaperroll vase",
  ),
  coffeemachine: words("mug"),
  coffeetable: tabletop,
  countertop: tabletop,
  desk,
  diningtable: tabletop,
  drawer: words(
    "book butterknife candle cd cellphone cloth creditcard dishsponge fork handtowel keychain knife ladle newspaper pen pencil peppershaker remotecontrol saltshaker soapbar soapbottle spatula spoon spraybottle tissuebox toiletpaper toiletpaperroll watch wateringcan",
  ),
  dresser: desk.filter((kind) => kind !== "soapbottle"),
  fridge: words("apple bowl bread cup egg glassbottle lettuce mug pan plate pot potato tomato winebottle"),
  garbagecan: words(
    "apple bread cd cloth dishsponge egg handtowel lettuce newspaper papertowel pen pencil potato soapbar soapbottle spraybottle tissuebox toiletpaper toiletpaperroll tomato winebottle",
  ),
  handtowelholder: words("handtowel"),
  laundryhamper: words("cloth"),
  microwave: words("apple bowl bread cup egg glassbottle mug plate potato tomato"),
  ottoman: seat,
  safe: words("cd cellphone creditcard keychain statue vase watch"),
  shelf: words(
    "alarmclock book bowl box candle cd cellphone cloth creditcard cup dishsponge glassbottle handtowel kettle keychain mug newspaper papertowel pen pencil peppershaker plate pot remotecontrol saltshaker soapbar soapbottle spraybottle statue tissuebox toiletpaper toiletpaperroll vase watch wateringcan winebottle",
  ),
  sidetable: tabletop,
  sinkbasin: words(
    "apple bowl butterknife cloth cup dishsponge egg fork glassbottle handtowel kettle knife ladle lettuce mug pan plate pot potato soapbar spatula spoon tomato",
  ),
  sofa: seat,
  stoveburner: words("kettle pan pot"),
  toaster: [],
  toilet: words(
    "candle cloth dishsponge handtowel newspaper papertowel soapbar soapbottle spraybottle tissuebox toiletpaper toiletpaperroll",
  ),
  toiletpaperhanger: words("toiletpaper toiletpaperroll"),
  towelholder: words("towel"),
  tvstand: words("tissuebox"),
};

export const openable = new Set(words("fridge cabinet microwave drawer safe"));
/** Kinds of objects with an inside, which `examine` mentions. In these games the inside is always empty. */
export const containers = new Set(words("bowl box cup mug plate pan pot"));
export const lamps = new Set(words("desklamp floorlamp"));
export const knives = new Set(words("knife butterknife"));
export const sliceable = new Set(words("apple bread egg lettuce potato tomato"));

const heatable = words("apple bread cup egg mug plate potato tomato");

/** Actions that treat an object, by verb: the receptacle needed, and the kinds of objects that can be treated. */
export const treatments = {
  clean: {
    at: "sinkbasin",
    kinds: new Set(
      words(
        "apple bowl butterknife cloth cup dishsponge egg fork kettle knife ladle lettuce mug pan plate pot potato soapbar spatula spoon tomato",
      ),
    ),
  },
  heat: { at: "microwave", kinds: new Set(heatable) },
  cool: { at: "fridge", kinds: new Set([...heatable, ...words("bowl lettuce pan pot winebottle")]) },
} as const;
export type Treatment = keyof typeof treatments;
export const treatmentNames = ["clean", "heat", "cool"] as const;

function words(text: string): readonly string[] {
  return text.split(" ");
}
