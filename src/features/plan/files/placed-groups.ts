import { OperatorError } from '../../../platform/common/problem/operator-error.ts';

/** The place of a group in the files. */
export interface Place {
  file: string;
  line: number;
}

/** A group of a file, as one line of JSON in which each number is spelt as in the file. */
export interface PlacedGroup {
  place: Place;
  text: string;
}

export function placeText({ file, line }: Place): string {
  return `${file}:${line}`;
}

/** A file that is no list of groups. */
export class FaultyFile extends OperatorError {
  constructor(place: Place, detail: string) {
    super(`${placeText(place)}: ${detail}`);
  }
}
