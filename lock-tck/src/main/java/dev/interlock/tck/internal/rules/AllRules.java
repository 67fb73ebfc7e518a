package dev.interlock.tck.internal.rules;

import java.util.List;

/** The classes that hold tests of rules. */
public final class AllRules {
  public static final List<Class<?>> CLASSES = List.of(
      ExclusionRules.class,
      AbsenceRules.class,
      ValidityRules.class,
      ExpiryRules.class,
      CrowdRules.class,
      WakingRules.class,
      LeaseRules.class,
      LeaseLengthRules.class,
      ClockRules.class,
      OwnershipRules.class,
      AttemptInterleavingRules.class,
      InterleavingRules.class,
      ReentryRules.class,
      LivenessRules.class,
      ResidueRules.class,
      EndedWaitRules.class,
      ErrorRules.class,
      ConnectionRules.class,
      FaultAnswerRules.class,
      FaultRules.class,
      ServerStateRules.class,
      CostRules.class,
      CloseRules.class,
      ForcedReleaseRules.class,
      ListenerRules.class,
      InspectionRules.class,
      ManagementRules.class,
      RenewalRules.class,
      BatchRules.class,
      FencingRules.class,
      RestartRules.class,
      RegisterRules.class,
      FairnessRules.class,
      QueuePlaceRules.class,
      TurnTakingRules.class,
      QueueDepartureRules.class,
      PushRules.class,
      SharedOwnerRules.class,
      ReadWriteRules.class,
      SemaphoreRules.class,
      CountedSizeRules.class,
      CountedEndRules.class,
      MixedHolderRules.class,
      PartInterleavingRules.class,
      AsyncRules.class,
      MinorityRules.class,
      MemberRules.class,
      FirstUseRules.class);

  private AllRules() {}
}
