/** The series of a time chart, and their colours. */
export interface Series {
  readonly title: string;
  readonly color?: string;
  /** One value for each bar, oldest first. */
  readonly values: readonly number[];
}

/** Distinguishable in light and dark mode, and with red-green colour blindness. */
export const chartColours = {
  good: '#2ea597',
  better: '#688ae8',
  bad: '#c33d69',
  doubtful: '#e07f9d',
} as const;
