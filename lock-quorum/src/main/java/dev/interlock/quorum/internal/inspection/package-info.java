/** What the members together say of held locks: for operators, who list them and force releases. */
@NullMarked
package dev.interlock.quorum.internal.inspection;

import org.jspecify.annotations.NullMarked;
