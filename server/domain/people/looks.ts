/** Scripts whose letters look alike; no writing system mixes them within a word. */
const scripts = ["Latin", "Cyrillic", "Greek", "Armenian", "Cherokee", "Georgian", "Coptic", "Hebrew", "Arabic"];
const ofScript = scripts.map((script) => [script, new RegExp(`\\p{Script=${script}}`, "u")] as const);

/** Finds the first word of a name that mixes confusable scripts. Japanese, Korean and Chinese may mix scripts. */
export function findMixedWord(name: string): { word: string; scripts: string[] } | undefined {
  for (const word of name.split(/[^\p{L}\p{M}]+/u)) {
    const found = ofScript.flatMap(([script, pattern]) => (pattern.test(word) ? [script] : []));
    if (found.length > 1) return { word, scripts: found };
  }
  return undefined;
}

/**
 * Converts letters to the Latin letters that they resemble: names with equal results are easily confused. Follows
 * Unicode's confusables (UTS 39), limited to letters with which whole words can be written.
 */
export function toLooks(name: string): string {
  const plain = name.normalize("NFKC").trim().replaceAll(/\s+/g, " ").normalize("NFD");
  const latin = Array.from(plain)
    .map((letter) => alike.get(letter) ?? letter)
    .join("");
  return latin.normalize("NFC").toLowerCase();
}

/** Pairs of texts: foreign letters, and in the same order the Latin letters that they resemble. */
const pairs: readonly (readonly [letters: string, latin: string])[] = [
  ["АВЕЅІЈКМНОРСТУХҮԌԚԜЗЬ", "ABESIJKMHOPCTYXYGQW36"],
  ["авеѕіјкмнорстухүһԁԛԝгпѵӏьո", "abesijkmhopctyxyhdqwrnvlbn"],
  ["ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳ", "ABEZHIKMNOPTYXCj"],
  ["αβγικνορτυχωϲηε", "abyikvoptuxwcne"],
  ["ՏՕԱՍԼԳհոսօցզքյ", "SOUULQhnuogqpj"],
  ["ᎪᏴᏟᎠᎬᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃᎥᏀᏮ", "ABCDEHJKLMPRSTVWZiG6"],
];
const alike = new Map(
  pairs.flatMap(([letters, latin]) => {
    const looks = Array.from(latin);
    return Array.from(letters).map((letter, i) => [letter, looks[i] ?? letter] as const);
  }),
);
