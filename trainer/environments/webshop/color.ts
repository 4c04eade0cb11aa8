/** The colours to which a shopper's words are reduced, in alphabetical order (WebShop's list). */
const colors: readonly string[] =
  `alabaster apricot aqua ash asphalt azure banana beige black blue blush bordeaux bronze
brown burgundy camel camo caramel champagne charcoal cheetah chestnut chocolate christmas coffee cognac copper coral
cranberry cream crystal dark denim eggplant elephant espresso fuchsia gold granite grape graphite grass gray green grey
heather indigo ivory ivy khaki lavender lemon leopard light lilac lime magenta maroon mauve merlot midnight mint mocha
multicolor mushroom mustard natural navy nude olive orange peach pewter pink plum purple rainbow red rose royal rust sand
sapphire seashell silver skull slate steel stone stonewash sunflower tan taupe teal tiger turquoise violet walnut wheat
white wine yellow`.split(/\s+/);

const exact = new Set(colors);

/** The first colour anywhere in the text: "navy blue" and "blueberry" are blue. Other texts stay unchanged. */
export function normalizeColor(text: string): string {
  return colors.find((color) => text.includes(color)) ?? text;
}

export function isColor(text: string): boolean {
  return exact.has(text);
}
