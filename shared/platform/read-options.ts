/** How rows are read: as the latest write left them, or a moment old at half the price. */

/** One that may be a moment old is for who goes by a state only once it is final. */
export interface ReadOptions {
  readonly consistent: boolean;
}
