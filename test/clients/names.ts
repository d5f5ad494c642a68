/** The names in a client that a generator made: what a person would not write is a fault of the API document. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** Declarations by the ending of the file. */
const declarations: Readonly<Record<string, RegExp>> = {
  '.ts': /^export (?:const|type|interface|class|enum|(?:async )?function) (\w+)/gm,
  '.py': /^(?:class|(?:async )?def) ([A-Za-z]\w*)/gm,
  '.go': /^(?:type|func) (\w+)|^\t([A-Z]\w*) +[A-Z]\w* += "/gm,
  '.java': /^ *public (?:static )?(?:final )?(?:class|enum|interface) (\w+)/gm,
};

/** What generators write where a document names nothing. */
const ofNobody =
  /AnyOf|OneOf|AllOf|Inner|InlineObject|Item\d*$|Item[A-Z]|[a-z]\d$|\d{3}Response|Type\d|WhatsApp|whats_app/;

/**
 * @param known - names that are the generator's own way
 * @throws Error that names the others
 */
export function namesAreWritten(folder: string, known: readonly string[] = []): void {
  const names = new Set<string>();
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const pattern = declarations[extname(path)];
    if (pattern === undefined || /(^|\/)(node_modules|test|use|every)\//.test(path)) continue;
    for (const [, first, second] of readFileSync(join(folder, path), 'utf8').matchAll(pattern))
      names.add(first ?? second ?? '');
  }
  if (names.size < 50) throw new Error(`${folder} has only ${names.size} names`);
  const poor = [...names].filter((name) => ofNobody.test(name) || saysTwice(name));
  const unknown = poor.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`nobody would write ${unknown.join(', ')}`);
}

/** `TestEventEvent` */
function saysTwice(name: string): boolean {
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|_/).map((word) => word.toLowerCase());
  return words.some((word, index) => word !== '' && word === words[index + 1]);
}
