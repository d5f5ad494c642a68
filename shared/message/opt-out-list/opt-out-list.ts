/** The list of people who opted out that the carrier keeps: it refuses every message to them, whichever client sends it. */

export interface ListedOptOut {
  /** E.164. */
  readonly recipient: string;
  readonly at: Date;
  /** Whether the person asked for it; otherwise somebody added the number. */
  readonly byPerson: boolean;
}

interface OptOutListPage {
  readonly optOuts: readonly ListedOptOut[];
  /** Undefined after the last page. */
  readonly next: string | undefined;
}

export interface OptOutList {
  /** @throws OutdatedPosition where the carrier no longer knows the position. */
  page(after: string | undefined): Promise<OptOutListPage>;
  find(recipient: string): Promise<ListedOptOut | undefined>;
  /** Repeating it changes nothing. @returns false where the carrier refuses this number */
  add(recipient: string): Promise<boolean>;
  /** @returns false where the carrier refuses: AWS removes a number once in 30 days */
  remove(recipient: string): Promise<boolean>;
}

export class OutdatedPosition extends Error {
  override readonly name = 'OutdatedPosition';
}
