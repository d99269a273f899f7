export interface Activity {
  introspections: number;
  rotations: number;
  creations: number;
}

/** Counts of the hour that began at `hour`, in milliseconds since 1970. */
export interface HourlyActivity extends Activity {
  hour: number;
}

export function noActivity(): Activity {
  return { introspections: 0, rotations: 0, creations: 0 };
}

export function addActivity(
  to: Activity,
  { introspections, rotations, creations }: Activity,
): void {
  to.introspections += introspections;
  to.rotations += rotations;
  to.creations += creations;
}
