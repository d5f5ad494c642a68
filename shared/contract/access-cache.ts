/**
 * How long a function uses rows that decide about access, limits or senders before it reads them again: changes must take
 * effect within 60 s (contract, sections 3 and 4).
 */
export const accessCache = { maxAgeSeconds: 45, maxEntries: 2000 } as const;
