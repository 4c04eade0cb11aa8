/** A kind of product in the synthetic shop: its name, category, prices and variants. */
export type Line = {
  /** Name of the kind in a shopper's words, in lower case. */
  readonly query: string;
  /** Levels of the category tree below the department's level, such as `Beverages › Milk`. */
  readonly shelf: string;
  /** Lowest and highest price of this kind in dollars. */
  readonly prices: readonly [number, number];
  readonly attributes: readonly string[];
  /** Options such as size, each with its name and values to sample from. The more usual option comes first. */
  readonly options: readonly (readonly [name: string, values: readonly string[]])[];
};

export type Department = { readonly name: string; readonly root: string; readonly lines: readonly Line[] };

const colors = "black, white, red, navy, green, grey, pink, purple, brown, beige, yellow, teal";
const woods = "walnut, white, black, grey, espresso, oak, cherry, maple, pine, ash";
const clothesSizes = "small, medium, large, x-large, xx-large, 3x-large";
const shoeSizes = "us 5, us 6, us 7, us 8, us 9, us 10, us 11, us 12";
const ounces = "2 ounce, 4 ounce, 6 ounce, 8 ounce, 12 ounce, 16 ounce, 24 ounce, 32 ounce";
const packs = "1 pack, 2 pack, 3 pack, 4 pack, 6 pack, 8 pack, 12 pack, 24 pack";
const feet = "1 foot, 3 feet, 6 feet, 10 feet, 15 feet, 20 feet, 25 feet, 50 feet";
const scents = "unscented, lavender, citrus, coconut, vanilla, eucalyptus, jasmine, bergamot";
const flavors = "original, vanilla, chocolate, strawberry, peanut butter, cinnamon, sea salt, lemon";
const bedSizes = "twin, full, queen, king, cot, crib";

const list = (text: string): readonly string[] => text.split(", ");

/** Parses a kind of product from the text `name | shelf | prices | attributes | option: values | …`. */
function line(text: string): Line {
  const [query = "", shelf = "", prices = "", attributes = "", ...options] = text.split(" | ");
  const [lowest = 0, highest = 0] = prices.split(" to ").map(Number);
  return {
    query,
    shelf,
    prices: [lowest, highest],
    attributes: list(attributes),
    options: options.map((option) => {
      const [name = "", values = ""] = option.split(": ");
      return [name, list(values)];
    }),
  };
}

/**
 * Kinds of products in WebShop's five departments. Their attributes are ones that occur frequently in goals written
 * by people. Small catalogues have only the first kinds of each department.
 */
export const departments: readonly Department[] = [
  {
    name: "fashion",
    root: "Clothing, Shoes & Jewelry",
    lines: [
      `men's dress shirts | Men › Shirts | 14 to 60 | long sleeve, stretch fabric, machine washable, slim fit, button down, cotton spandex, daily wear | color: ${colors} | size: ${clothesSizes}`,
      `women's sandals | Women › Shoes | 15 to 70 | open toe, rubber sole, arch support, memory foam, non slip, faux leather, ankle strap | color: ${colors} | size: ${shoeSizes}`,
      `leggings | Women › Pants | 9 to 40 | high waist, elastic waist, machine washable, tummy control, stretch fabric, moisture wicking | size: ${clothesSizes} | color: ${colors}`,
      `slip-on shoes | Men › Shoes | 20 to 90 | rubber sole, memory foam, non slip, arch support, faux leather, water resistant | size: ${shoeSizes} | color: ${colors}`,
      `hooded sweatshirts | Men › Hoodies | 18 to 65 | long sleeve, machine washable, drawstring closure, fleece lined, classic fit, daily wear | color: ${colors} | size: ${clothesSizes}`,
      `winter coats | Women › Coats | 35 to 140 | water resistant, faux fur, fleece lined, long sleeve, machine washable, slim fit | size: ${clothesSizes} | color: ${colors}`,
      `swim trunks | Men › Swim | 12 to 45 | quick drying, elastic waist, drawstring closure, machine washable, moisture wicking, tummy control | color: ${colors} | size: ${clothesSizes}`,
      `crew socks | Men › Socks | 6 to 30 | arch support, machine washable, moisture wicking, cotton spandex, non slip, daily wear | size: ${packs} | color: ${colors}`,
    ].map(line),
  },
  {
    name: "beauty",
    root: "Beauty & Personal Care",
    lines: [
      `face cream | Skin Care › Face | 8 to 60 | cruelty free, long lasting, sensitive skin, anti aging, paraben free, oil free, natural ingredients | size: ${ounces} | scent: ${scents}`,
      `shampoo | Hair Care › Shampoo | 6 to 40 | paraben free, sulfate free, cruelty free, natural ingredients, dry hair, plant based, tea tree | scent: ${scents} | size: ${ounces}`,
      `hair extensions | Hair Care › Extensions | 15 to 90 | clip in, natural hair, long lasting, high quality, easy care, heat resistant | color: ${colors} | size: ${packs}`,
      `eyeshadow palette | Makeup › Eyes | 7 to 45 | long lasting, highly pigmented, cruelty free, easy apply, paraben free, fragrance free | color: ${colors} | style: matte, shimmer, glitter, satin, metallic, nude`,
      `toothbrush | Oral Care › Toothbrushes | 5 to 50 | bpa free, sensitive teeth, eco friendly, fresh breath, non slip, long lasting | color: ${colors} | size: ${packs}`,
      `deodorant | Personal Care › Deodorants | 5 to 30 | alcohol free, aluminum free, long lasting, cruelty free, sensitive skin, plant based | scent: ${scents} | size: ${packs}`,
      `body lotion | Skin Care › Body | 6 to 35 | dry skin, cruelty free, fragrance free, paraben free, sensitive skin, natural ingredients | size: ${ounces} | scent: ${scents}`,
      `lip balm | Skin Care › Lips | 3 to 25 | cruelty free, long lasting, natural ingredients, sensitive skin, alcohol free, seed oil | scent: ${scents} | size: ${packs}`,
    ].map(line),
  },
  {
    name: "electronics",
    root: "Electronics",
    lines: [
      `usb cable | Accessories › Cables | 5 to 35 | fast charging, high speed, gold plated, heavy duty, easy carry, data transfer, tangle free | size: ${feet} | color: ${colors}`,
      `bluetooth speaker | Audio › Speakers | 15 to 120 | hands free, stereo sound, water resistant, long lasting, wireless charging, easy use, easy carry | color: ${colors} | style: mini, classic, outdoor, travel, bookshelf, tower`,
      `hdmi cable | Accessories › Cables | 6 to 45 | high speed, gold plated, blu ray, heavy duty, ultra hd, plug play | size: ${feet} | color: ${colors}`,
      `screen protector | Accessories › Screens | 5 to 30 | tempered glass, high definition, easy install, case friendly, non slip, ultra hd | size: ${packs} | style: clear, matte, privacy, tinted, mirror, curved`,
      `phone case | Accessories › Cases | 7 to 50 | wireless charging, heavy duty, non slip, easy install, water resistant, hands free | color: ${colors} | style: clear, wallet, slim, rugged, bumper, folio`,
      `tv antenna | Television › Antennas | 15 to 80 | high definition, easy install, long range, wall mounted, ultra hd, coaxial cable | size: ${feet} | color: ${colors}`,
      `wireless headphones | Audio › Headphones | 18 to 150 | noise cancelling, stereo sound, hands free, fast charging, long lasting, easy carry | color: ${colors} | style: on ear, over ear, in ear, neckband, open back, sport`,
      `tablet computer | Computers › Tablets | 70 to 260 | quad core, high performance, fast charging, high definition, long lasting, easy use | color: ${colors} | size: 16 gb, 32 gb, 64 gb, 128 gb, 256 gb, 512 gb`,
    ].map(line),
  },
  {
    name: "garden",
    root: "Home & Kitchen",
    lines: [
      `side table | Furniture › Living Room | 25 to 120 | easy assemble, space saving, solid wood, living room, storage space, steel frame, heavy duty | color: ${woods} | style: modern, bohemian, farmhouse, industrial, vintage, nordic`,
      `area rug | Home Decor › Rugs | 20 to 140 | machine washable, living room, dining room, super soft, non slip, easy clean, spot clean | color: ${colors} | size: 2 x 3, 3 x 5, 4 x 6, 5 x 8, 6 x 9, 8 x 10, 9 x 12, 10 x 14`,
      `sofa | Furniture › Living Room | 180 to 390 | memory foam, faux leather, solid wood, lumbar support, living room, easy assemble | color: ${colors} | style: loveseat, sectional, sleeper, recliner, futon, chaise`,
      `pillow cover | Home Decor › Pillows | 6 to 35 | machine washable, super soft, living room, exquisite workmanship, easy clean, eco friendly | color: ${colors} | size: ${packs}`,
      `vanity light | Lighting › Wall | 30 to 150 | clear glass, wall mounted, easy install, brushed nickel, dining room, living room | color: ${woods} | size: 1 bulb, 2 bulb, 3 bulb, 4 bulb, 5 bulb, 6 bulb`,
      `tv stand | Furniture › Living Room | 60 to 240 | storage space, easy assemble, tempered glass, solid wood, space saving, living room | color: ${woods} | style: modern, bohemian, farmhouse, industrial, vintage, nordic`,
      `bed frame | Furniture › Bedroom | 80 to 320 | easy assemble, box spring, heavy duty, solid wood, storage space, steel frame | size: ${bedSizes} | color: ${woods}`,
      `storage cabinet | Furniture › Storage | 45 to 220 | storage space, space saving, easy assemble, wall mounted, solid wood, heavy duty | color: ${woods} | size: 18 inch, 24 inch, 30 inch, 36 inch, 48 inch, 60 inch`,
    ].map(line),
  },
  {
    name: "grocery",
    root: "Grocery & Gourmet Food",
    lines: [
      `granola | Breakfast › Cereals | 5 to 40 | gluten free, non gmo, sugar free, low carb, keto friendly, high protein, plant based | flavor name: ${flavors} | size: ${packs}`,
      `tea bags | Beverages › Tea | 4 to 35 | caffeine free, certified organic, individually wrapped, non gmo, gluten free, sugar free, artificial flavors | flavor name: mint, ginger, chamomile, earl grey, jasmine, lemon, hibiscus, rooibos | size: ${packs}`,
      `beef jerky | Snacks › Meat | 6 to 45 | high protein, gluten free, low carb, sugar free, keto friendly, grass fed | flavor name: original, teriyaki, cajun, honey, smoked, spicy, garlic, barbecue | size: ${ounces}`,
      `popcorn | Snacks › Popcorn | 4 to 30 | gluten free, non gmo, ready eat, old fashioned, dairy free, low calorie | flavor name: butter, caramel, cheddar, kettle, sea salt, jalapeno, truffle, ranch | size: ${packs}`,
      `cupcake toppers | Party › Baking | 5 to 25 | birthday party, baby shower, party supplies, cupcake picks, high quality, easy use | style: gold, silver, pirate, mermaid, dinosaur, unicorn, space, jungle | size: ${packs}`,
      `almond beverage | Beverages › Milk | 4 to 35 | dairy free, shelf stable, plant based, non gmo, lactose free, sugar free | flavor name: ${flavors} | size: ${packs}`,
      `protein bars | Snacks › Bars | 8 to 50 | high protein, gluten free, low sugar, soy free, keto friendly, individually wrapped | flavor name: ${flavors} | size: ${packs}`,
      `dried mango | Snacks › Fruit | 6 to 40 | freeze dried, certified organic, non gmo, resealable bag, sugar free, gluten free | flavor name: original, spicy, lime, chili, tamarind, passion fruit, salted, ginger | size: ${ounces}`,
    ].map(line),
  },
];

export const brands: readonly string[] = list(
  "Norvana, Talbex, Lumira, Orvik, Zentra, Brimley, Quillon, Mavora, Tundral, Calyx, Fennick, Istra, Bexlow, Emberly, Havenly, Kestrin, Pinewell, Solvane, Glenmoor, Ostrya, Driftway, Velora, Wrenfield, Yarrowby, Auberon, Cindral, Dorvane, Elvique, Farrowe, Hestian",
);
