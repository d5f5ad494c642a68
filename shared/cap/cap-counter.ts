/** One row for each client and month, with the amounts that were taken in each window: integers only. */

type Amounts = Readonly<Record<string, number>>;

interface Take {
  /** The row's key. */
  readonly counter: string;
  /** What to add, by attribute. */
  readonly amounts: Amounts;
  /** The most that an attribute may have afterwards; those without a limit are only counted. */
  readonly limits: Amounts;
  /** Attributes of ended windows to remove in the same write. */
  readonly endedAttributes: readonly string[];
  /** Seconds since the epoch. */
  readonly purgeAt: number;
}

export interface TakeOutcome {
  /** Whether every amount was added, or none. */
  readonly taken: boolean;
  /** The row's numbers: afterwards if it was taken, else as the condition saw them. */
  readonly row: Amounts;
  /** All attributes of the row. */
  readonly attributes: readonly string[];
}

interface GiveBack {
  readonly counter: string;
  readonly amounts: Amounts;
  /** The attribute with the ids of those that gave back. */
  readonly givenBack: string;
  /** Unique for each take. */
  readonly id: string;
}

export interface CapCounter {
  take(take: Take): Promise<TakeOutcome>;
  /** Takes the amounts off, once for each id. */
  giveBack(giveBack: GiveBack): Promise<void>;
  /** Writes the value if the attribute is absent or lower: of any number of concurrent calls one gets true. */
  raise(counter: string, attribute: string, value: number, purgeAt: number): Promise<boolean>;
  /** The row's numbers, none where there is no row. */
  read(counter: string): Promise<Amounts>;
}
