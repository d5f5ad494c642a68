/** The syntax of DynamoDB's expressions: conditions, updates and projections. Each text is parsed once. */

export class ValidationError extends Error {}

/** The update does not fit the row as it is, which a transaction gives as its reason. */
export class UpdateError extends ValidationError {}

type PathPart = { readonly name: string } | { readonly index: number };
export type Path = readonly PathPart[];

export type Operand =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly given: readonly Operand[] }
  | { readonly kind: 'sum'; readonly sign: '+' | '-'; readonly left: Operand; readonly right: Operand };

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | { readonly kind: 'compare'; readonly by: string; readonly left: Operand; readonly right: Operand }
  | { readonly kind: 'between'; readonly of: Operand; readonly low: Operand; readonly high: Operand }
  | { readonly kind: 'in'; readonly of: Operand; readonly list: readonly Operand[] }
  | { readonly kind: 'call'; readonly name: string; readonly given: readonly Operand[] };

interface Update {
  readonly set: readonly { readonly path: Path; readonly to: Operand }[];
  readonly remove: readonly Path[];
  readonly add: readonly { readonly path: Path; readonly amount: Operand }[];
  readonly delete: readonly { readonly path: Path; readonly members: Operand }[];
}

const token = /\s*(?:(<>|<=|>=|[=<>(),.+[\]-])|([:#]?[A-Za-z0-9_]+))/y;
const functions = new Set([
  'attribute_exists',
  'attribute_not_exists',
  'attribute_type',
  'begins_with',
  'contains',
]);

class Parser {
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(text: string) {
    token.lastIndex = 0;
    while (token.lastIndex < text.trimEnd().length) {
      const found = token.exec(text);
      if (found === null) throw new ValidationError(`Syntax error in expression: ${text}`);
      this.#tokens.push(found[1] ?? found[2] ?? '');
    }
  }

  get ended(): boolean {
    return this.#at >= this.#tokens.length;
  }

  /** Returns true and consumes the next token if it is this one. */
  takes(word: string): boolean {
    if (this.#tokens[this.#at]?.toUpperCase() !== word.toUpperCase()) return false;
    this.#at += 1;
    return true;
  }

  expect(word: string): void {
    if (!this.takes(word))
      throw new ValidationError(`Syntax error; expected ${word}, token: ${this.#tokens[this.#at]}`);
  }

  next(): string {
    const found = this.#tokens[this.#at];
    if (found === undefined) throw new ValidationError('Syntax error; unexpected end of the expression');
    this.#at += 1;
    return found;
  }

  peek(ahead = 0): string {
    return this.#tokens[this.#at + ahead] ?? '';
  }

  list<Part>(parse: () => Part): Part[] {
    const parts = [parse()];
    while (this.takes(',')) parts.push(parse());
    return parts;
  }

  path(): Path {
    const parts: PathPart[] = [{ name: this.next() }];
    for (;;) {
      if (this.takes('.')) parts.push({ name: this.next() });
      else if (this.takes('[')) {
        parts.push({ index: Number(this.next()) });
        this.expect(']');
      } else return parts;
    }
  }

  operand(): Operand {
    if (this.peek().startsWith(':')) return { kind: 'value', name: this.next() };
    if (this.peek(1) === '(') {
      const name = this.next();
      this.expect('(');
      const given = this.list(() => this.operand());
      this.expect(')');
      return { kind: 'call', name, given };
    }
    return { kind: 'path', path: this.path() };
  }

  condition(): Condition {
    const parts = [this.conjunction()];
    while (this.takes('OR')) parts.push(this.conjunction());
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind: 'or', parts };
  }

  conjunction(): Condition {
    const parts = [this.negation()];
    while (this.takes('AND')) parts.push(this.negation());
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind: 'and', parts };
  }

  negation(): Condition {
    if (this.takes('NOT')) return { kind: 'not', part: this.negation() };
    if (this.takes('(')) {
      const inner = this.condition();
      this.expect(')');
      return inner;
    }
    const left = this.operand();
    if (left.kind === 'call' && functions.has(left.name)) return left;
    if (this.takes('BETWEEN')) {
      const low = this.operand();
      this.expect('AND');
      return { kind: 'between', of: left, low, high: this.operand() };
    }
    if (this.takes('IN')) {
      this.expect('(');
      const list = this.list(() => this.operand());
      this.expect(')');
      return { kind: 'in', of: left, list };
    }
    return { kind: 'compare', by: this.next(), left, right: this.operand() };
  }

  update(): Update {
    const set: { path: Path; to: Operand }[] = [];
    const remove: Path[] = [];
    const add: { path: Path; amount: Operand }[] = [];
    const deleted: { path: Path; members: Operand }[] = [];
    while (!this.ended) {
      if (this.takes('SET')) set.push(...this.list(() => this.assignment()));
      else if (this.takes('REMOVE')) remove.push(...this.list(() => this.path()));
      else if (this.takes('ADD'))
        add.push(...this.list(() => ({ path: this.path(), amount: this.operand() })));
      else if (this.takes('DELETE'))
        deleted.push(...this.list(() => ({ path: this.path(), members: this.operand() })));
      else throw new ValidationError(`Invalid UpdateExpression: Syntax error; token: ${this.peek()}`);
    }
    return { set, remove, add, delete: deleted };
  }

  assignment(): { path: Path; to: Operand } {
    const path = this.path();
    this.expect('=');
    const left = this.operand();
    const sign = this.takes('+') ? '+' : this.takes('-') ? '-' : undefined;
    return { path, to: sign === undefined ? left : { kind: 'sum', sign, left, right: this.operand() } };
  }
}

function parsedOnce<Parsed>(parse: (parser: Parser) => Parsed): (text: string) => Parsed {
  const known = new Map<string, Parsed>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const parser = new Parser(text);
    const parsed = parse(parser);
    if (!parser.ended) throw new ValidationError(`Syntax error; token: ${parser.peek()}, in: ${text}`);
    known.set(text, parsed);
    return parsed;
  };
}

export const parseCondition = parsedOnce((parser) => parser.condition());
export const parseUpdate = parsedOnce((parser) => parser.update());
export const parseProjection = parsedOnce((parser) => parser.list(() => parser.path()));
