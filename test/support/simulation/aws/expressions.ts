/** What DynamoDB's expressions mean: whether a condition holds, and what an update or a projection makes of an item. */
import {
  compare,
  contentOf,
  difference,
  type Item,
  isEqual,
  isSet,
  membersOf,
  sum,
  typeOf,
  type Value,
} from './attribute-values.ts';
import {
  type Condition,
  type Operand,
  type Path,
  parseProjection,
  parseUpdate,
  UpdateError,
  ValidationError,
} from './expression-syntax.ts';

/** The names and values of placeholders. */
export interface Placeholders {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Readonly<Record<string, Value>> | undefined;
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-expression-parameters */
const expressionBytesMax = 4096;

/** @throws ValidationError, as DynamoDB does, if an expression is too long or a placeholder is unused */
export function checkExpressions(expressions: readonly (string | undefined)[], given: Placeholders): void {
  if (expressions.some((text = '') => Buffer.byteLength(text) > expressionBytesMax))
    throw new ValidationError('Expression size has exceeded the maximum allowed size');
  const used = new Set(expressions.flatMap((text) => text?.match(/[:#]\w+/g) ?? []));
  const names = Object.keys(given.ExpressionAttributeNames ?? {});
  const values = Object.keys(given.ExpressionAttributeValues ?? {});
  const unused = [...names, ...values].find((name) => !used.has(name));
  if (unused !== undefined) throw new ValidationError(`Value provided but unused in expressions: ${unused}`);
  if (given.ExpressionAttributeValues !== undefined && values.length === 0)
    throw new ValidationError('ExpressionAttributeValues must not be empty');
  if (given.ExpressionAttributeNames !== undefined && names.length === 0)
    throw new ValidationError('ExpressionAttributeNames must not be empty');
}

export function nameOf(name: string, { ExpressionAttributeNames = {} }: Placeholders): string {
  if (!name.startsWith('#')) return name;
  const known = ExpressionAttributeNames[name];
  if (known === undefined) throw new ValidationError(`An expression attribute name is not defined: ${name}`);
  return known;
}

function valueAt(item: Item, path: Path, given: Placeholders): Value | undefined {
  let value: Value | undefined = { M: item };
  for (const part of path) {
    if (value === undefined) return undefined;
    if ('name' in part) value = 'M' in value ? value.M[nameOf(part.name, given)] : undefined;
    else value = 'L' in value ? value.L[part.index] : undefined;
  }
  return value;
}

export function operandValue(operand: Operand, item: Item, given: Placeholders): Value | undefined {
  switch (operand.kind) {
    case 'path':
      return valueAt(item, operand.path, given);
    case 'value': {
      const value = given.ExpressionAttributeValues?.[operand.name];
      if (value === undefined)
        throw new ValidationError(`An expression attribute value is not defined: ${operand.name}`);
      return value;
    }
    case 'sum':
      return summed(
        operand.sign,
        operandValue(operand.left, item, given),
        operandValue(operand.right, item, given),
      );
    case 'call': {
      const [first, second] = operand.given;
      const left = first === undefined ? undefined : operandValue(first, item, given);
      if (operand.name === 'if_not_exists' && second !== undefined)
        return left ?? operandValue(second, item, given);
      const right = second === undefined ? undefined : operandValue(second, item, given);
      if (operand.name === 'list_append' && left && right && 'L' in left && 'L' in right)
        return { L: [...left.L, ...right.L] };
      if (operand.name === 'size') {
        const size = left === undefined ? undefined : sizeOf(left);
        return size === undefined ? undefined : { N: String(size) };
      }
      if (operand.name === 'list_append') throw wrongType();
      throw new ValidationError(`Invalid function or operands: ${operand.name}`);
    }
  }
}

function summed(sign: '+' | '-', left: Value | undefined, right: Value | undefined): Value {
  if (left === undefined || right === undefined || !('N' in left) || !('N' in right))
    throw new UpdateError('The provided expression refers to an attribute that does not exist in the item');
  return { N: sign === '+' ? sum(left.N, right.N) : difference(left.N, right.N) };
}

function wrongType(): UpdateError {
  return new UpdateError('An operand in the update expression has an incorrect data type');
}

/** Numbers, booleans and null have none. */
function sizeOf(value: Value): number | undefined {
  if ('S' in value) return value.S.length;
  if ('M' in value) return Object.keys(value.M).length;
  const content = contentOf(value);
  return Array.isArray(content) ? content.length : undefined;
}

export function holds(condition: Condition, item: Item, given: Placeholders): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.parts.every((part) => holds(part, item, given));
    case 'or':
      return condition.parts.some((part) => holds(part, item, given));
    case 'not':
      return !holds(condition.part, item, given);
    case 'compare':
      return compares(
        condition.by,
        operandValue(condition.left, item, given),
        operandValue(condition.right, item, given),
      );
    case 'between': {
      const value = operandValue(condition.of, item, given);
      return (
        compares('>=', value, operandValue(condition.low, item, given)) &&
        compares('<=', value, operandValue(condition.high, item, given))
      );
    }
    case 'in': {
      const value = operandValue(condition.of, item, given);
      return (
        value !== undefined && condition.list.some((one) => isEqual(value, operandValue(one, item, given)))
      );
    }
    case 'call':
      return calls(condition.name, condition.given, item, given);
  }
}

function compares(by: string, left: Value | undefined, right: Value | undefined): boolean {
  if (by === '=') return left !== undefined && isEqual(left, right);
  if (by === '<>') return !isEqual(left, right);
  if (left === undefined || right === undefined) return false;
  const order = compare(left, right);
  if (order === undefined) return false;
  return by === '<' ? order < 0 : by === '<=' ? order <= 0 : by === '>' ? order > 0 : order >= 0;
}

function calls(name: string, operands: readonly Operand[], item: Item, given: Placeholders): boolean {
  const [first, second] = operands;
  const value = first === undefined ? undefined : operandValue(first, item, given);
  if (name === 'attribute_exists') return value !== undefined;
  if (name === 'attribute_not_exists') return value === undefined;
  const other = second === undefined ? undefined : operandValue(second, item, given);
  if (value === undefined || other === undefined) return false;
  if (name === 'attribute_type') return 'S' in other && typeOf(value) === other.S;
  if (name === 'begins_with') return 'S' in value && 'S' in other && value.S.startsWith(other.S);
  if ('S' in value) return 'S' in other && value.S.includes(other.S);
  if ('L' in value) return value.L.some((one) => isEqual(one, other));
  return isSet(value) && membersOf(value).includes(String(contentOf(other)));
}

/** The item after the update, and the names of the attributes that it touched. */
export function updated(
  before: Item,
  expression: string,
  given: Placeholders,
): { readonly item: Item; readonly touched: readonly string[] } {
  const update = parseUpdate(expression);
  const item: Record<string, Value> = { ...before };
  const touched: string[] = [];
  const touch = (path: Path): void => {
    const [first] = path;
    if (first === undefined || !('name' in first)) return;
    touched.push(nameOf(first.name, given));
  };
  const paths = [...update.set, ...update.add, ...update.delete]
    .map(({ path }) => path)
    .concat(update.remove);
  const texts = paths.map((path) =>
    path.map((part) => ('name' in part ? nameOf(part.name, given) : part.index)).join('.'),
  );
  const overlaps = texts.some((a, i) => texts.some((b, j) => i !== j && (a === b || a.startsWith(`${b}.`))));
  if (overlaps)
    throw new ValidationError('Invalid UpdateExpression: Two document paths overlap with each other');

  // Values are of the item before the update.
  const assigned = update.set.map(({ path, to }) => {
    const value = operandValue(to, before, given);
    if (value === undefined)
      throw new UpdateError('The provided expression refers to an attribute that does not exist in the item');
    return { path, value };
  });
  for (const { path, value } of assigned) {
    touch(path);
    put(item, path, value, given);
  }
  for (const path of update.remove) {
    touch(path);
    put(item, path, undefined, given);
  }
  for (const { path, amount } of update.add) {
    touch(path);
    const old = valueAt(before, path, given);
    const by = operandValue(amount, before, given);
    if (by === undefined) continue;
    if (old !== undefined && typeOf(old) !== typeOf(by)) throw wrongType();
    if ('N' in by)
      put(item, path, { N: old !== undefined && 'N' in old ? sum(old.N, by.N) : sum(by.N, '0') }, given);
    else if (isSet(by)) {
      const members = [...new Set([...(old === undefined ? [] : membersOf(old)), ...membersOf(by)])];
      put(item, path, { [typeOf(by)]: members } as unknown as Value, given);
    } else throw new ValidationError('Incorrect operand type for operator or function: ADD');
  }
  for (const { path, members } of update.delete) {
    touch(path);
    const old = valueAt(before, path, given);
    const by = operandValue(members, before, given);
    if (old === undefined || by === undefined) continue;
    if (typeOf(old) !== typeOf(by)) throw wrongType();
    const left = membersOf(old).filter((member) => !membersOf(by).includes(member));
    const rest = { [typeOf(old)]: left } as unknown as Value;
    put(item, path, left.length === 0 ? undefined : rest, given);
  }
  return { item, touched };
}

function put(into: Record<string, Value>, path: Path, value: Value | undefined, given: Placeholders): void {
  const [first, ...rest] = path;
  if (first === undefined || !('name' in first)) throw new ValidationError('a path begins with a name');
  const name = nameOf(first.name, given);
  const changed = rest.length === 0 ? value : within(into[name], rest, value, given);
  if (changed === undefined) delete into[name];
  else into[name] = changed;
}

function within(inside: Value | undefined, path: Path, value: Value | undefined, given: Placeholders): Value {
  const [first, ...rest] = path;
  const invalid = new UpdateError(
    'The document path provided in the update expression is invalid for update',
  );
  if (inside === undefined || first === undefined) throw invalid;
  if ('name' in first) {
    if (!('M' in inside)) throw invalid;
    const map: Record<string, Value> = { ...inside.M };
    put(map, [first, ...rest], value, given);
    return { M: map };
  }
  if (!('L' in inside)) throw invalid;
  const list = [...inside.L];
  const changed = rest.length === 0 ? value : within(list[first.index], rest, value, given);
  if (changed === undefined) list.splice(first.index, 1);
  else list[Math.min(first.index, list.length)] = changed;
  return { L: list };
}

/** Only top-level attributes, which is all that the gateway asks for. */
export function projected(item: Item, expression: string | undefined, given: Placeholders): Item {
  if (expression === undefined) return item;
  const result: Record<string, Value> = {};
  for (const [first] of parseProjection(expression)) {
    if (first === undefined || !('name' in first)) continue;
    const name = nameOf(first.name, given);
    const value = item[name];
    if (value !== undefined) result[name] = value;
  }
  return result;
}
