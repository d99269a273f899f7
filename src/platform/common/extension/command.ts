import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { Caller } from '../access/caller.ts';

/** Conditions of a command's work. */
export interface CommandNeeds {
  /**
   * Whether the command sets up an installation, so that it makes the tables that are missing. Any other one refuses an
   * empty database: a misspelt path would otherwise look like an installation without data.
   */
  mayMake?: boolean;
  /** Whether it encrypts or decrypts, so that a key which is not the recorded one is refused. */
  rightKeys?: boolean;
}

/** Runs the work of commands on the services of the installation, then closes them. */
export interface CommandServices {
  /** A database that is empty, or lacks a migration, is refused and left as it is. */
  withServices: (
    work: (app: INestApplicationContext) => Promise<void>,
    needs?: CommandNeeds,
  ) => Promise<void>;
  /** Runs `work` as the operator of the workspace of this name. @throws OperatorNotFound if there is none */
  withWorkspace: (
    name: string,
    work: (app: INestApplicationContext, caller: Caller) => Promise<void>,
    needs?: CommandNeeds,
  ) => Promise<void>;
  /** Returns the names of the workspaces by their number. */
  workspaceNames: (app: INestApplicationContext) => Promise<ReadonlyMap<number, string>>;
}

/** A command of the command line. */
export interface CommandDefinition {
  /** Such as `greet`, or `group greet` for a subcommand of another command. */
  name: string;
  /** One line for the help. */
  about: string;
  /** Adds options, subcommands and an action to the command; called only if the command is named. */
  define: (command: Command, services: CommandServices) => void | Promise<void>;
}
