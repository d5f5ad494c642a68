/** How many segments a text takes on the air, and in which alphabet (3GPP TS 23.038, 23.040). */
import { SegmentedMessage } from 'sms-segments-calculator';

export interface Segmentation {
  readonly encoding: 'GSM-7' | 'UCS-2';
  readonly segments: number;
}

export function segment(text: string): Segmentation {
  const counted = new SegmentedMessage(text);
  return { encoding: counted.encodingName === 'GSM-7' ? 'GSM-7' : 'UCS-2', segments: counted.segmentsCount };
}
